import { createLog } from '../platform/log.ts';
import { openDb } from '../platform/openDb.ts';
import { serveThread } from '../platform/serveThread.ts';
import { computeRehearsal } from './computeRehearsal.ts';
import { rehearsalThreadKind } from './rehearsalThreadKind.ts';

serveThread(rehearsalThreadKind, ({ databaseUrl }) => {
  const { reader } = openDb(databaseUrl, createLog('silent'), { max: 1 });
  return (request) => computeRehearsal(reader, request);
});
