import { openDb } from '../platform/db.ts';
import { createLog } from '../platform/log.ts';
import { serveThread } from '../platform/serveThread.ts';
import { foresee } from './foresee.ts';
import { rehearsalKind } from './rehearsalKind.ts';

serveThread(rehearsalKind, ({ databaseUrl }) => {
  const { reader } = openDb(databaseUrl, createLog('silent'), { max: 1 });
  return (asked) => foresee(reader, asked);
});
