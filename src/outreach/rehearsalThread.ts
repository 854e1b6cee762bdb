import { createLog } from '../platform/log.ts';
import { openDb } from '../platform/openDb.ts';
import { createHasher } from '../platform/secretCipher.ts';
import { serveThread } from '../platform/serveThread.ts';
import { computeRehearsal } from './computeRehearsal.ts';
import { rehearsalThreadKind } from './rehearsalThreadKind.ts';

serveThread(rehearsalThreadKind, ({ databaseUrl, hashKey }) => {
  if (!hashKey) throw new Error('Who wants no more messages is found by hashes');
  const hasher = createHasher(hashKey);
  const { reader } = openDb(databaseUrl, createLog('silent'), { max: 1 });
  return (request) => computeRehearsal({ reader, hasher }, request);
});
