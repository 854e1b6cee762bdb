import { chmodSync, lchownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isShared } from './account.ts';
import type { Cluster } from './cluster.ts';
import { findPostmaster } from './postmaster.ts';
import { type PostgresLog, shutDown } from './server.ts';

/**
 * Move a cluster that 1.0.0 created as `nobody` to PostgreSQL's present account. During the move the folder belongs to
 * root and is closed, so `nobody` cannot exchange files in it. An interrupted move is repeated.
 */
export async function moveToAccount(cluster: Cluster, socketDir: string, log: PostgresLog): Promise<void> {
  const { dir, account, exists } = cluster;
  if (isShared(account))
    log.warn({}, 'No account of its own can be created for PostgreSQL: it runs as nobody, which others may share.');
  if (!exists || !account.switched || statSync(dir).uid === account.uid) return;
  const runningServer = findPostmaster(dir, socketDir);
  if (runningServer !== undefined) await shutDown(runningServer.pid);
  log.info({ cluster: dir, uid: account.uid }, 'Moving the database to the account that PostgreSQL runs as.');
  lchownSync(dir, 0, 0);
  chmodSync(dir, 0o700);
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true }))
    lchownSync(join(entry.parentPath, entry.name), account.uid, account.gid);
  lchownSync(dir, account.uid, account.gid);
}
