/** What other users of the machine can do with the files of an installation. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { ensureAccount } from '../platform/postgres/account.ts';
import { type Postgres, startPostgres } from '../platform/postgres/supervisor.ts';
import { startProduct } from './productProcess.ts';

const isRoot = process.getuid?.() === 0;
const umask = process.umask(0o022);
process.umask(umask);

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

/** Return everything in a folder, itself included, that others may do something with. */
function openToOthers(dataDir: string): string[] {
  const all = [
    dataDir,
    ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).map((one) => join(dataDir, one)),
  ];
  return all.flatMap((path) => {
    const stat = lstatSync(path);
    // PostgreSQL's account passes through the folder if that is not ours.
    const isPassage = path === dataDir && isRoot && stat.gid === ensureAccount().gid;
    const allowed = stat.isDirectory() ? (isPassage ? 0o710 : 0o700) : 0o700;
    const extra = stat.mode & 0o777 & ~allowed;
    return extra === 0 ? [] : [`${relative(dataDir, path) || '.'} ${(stat.mode & 0o777).toString(8)}`];
  });
}

/** Return a folder that any user can pass through. */
function passableFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'rapport-files-'));
  chmodSync(folder, 0o755);
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const warnings: string[] = [];
async function start(dataDir: string): Promise<Postgres> {
  const quiet = () => undefined;
  const warn = (_facts: object, sentence: string) => void warnings.push(sentence);
  const server = await startPostgres({ dataDir, log: { info: quiet, warn, error: quiet } });
  undo.push(() => server.stop());
  return server;
}

it('opens no file of the whole product to other users, a backup included, and closes those of version 1.0.0', async () => {
  process.umask(0o022);
  undo.push(() => process.umask(umask));
  const dataDir = join(passableFolder(), 'data');
  const product = await startProduct({ RAPPORT_DATA_DIR: dataDir });
  undo.push(() => product.close());
  const env = {
    ...process.env,
    RAPPORT_DATA_DIR: dataDir,
    RAPPORT_SECRET_KEY: 'a-secret-key-for-tests-only-0123456789',
  };
  const backup = join(import.meta.dirname, '../platform/postgres/backupCommand.ts');
  execFileSync(process.execPath, [backup, join(dataDir, 'a.backup')], { env, stdio: 'ignore' });
  const names = readdirSync(dataDir);
  for (const one of ['lock', 'holder.json', 'postgres.log', 'pg', 'emulators', 'a.backup'])
    expect(names).toContain(one);
  expect(openToOthers(dataDir)).toEqual([]);
  await product.kill();

  // As 1.0.0 left it, and as an archive may be unpacked.
  chmodSync(dataDir, isRoot ? 0o711 : 0o755);
  for (const one of ['lock', 'holder.json', 'postgres.log', 'emulators/lock']) chmodSync(join(dataDir, one), 0o644);
  await product.start();
  expect(openToOthers(dataDir)).toEqual([]);
});

it('creates lock and journal for us alone, and closes them at the next start', async () => {
  const dataDir = join(passableFolder(), 'data');
  const first = await start(dataDir);
  expect(openToOthers(dataDir)).toEqual([]);
  await first.stop();
  for (const one of ['lock', 'lock-journal', 'secret.key'])
    writeFileSync(join(dataDir, one), '', { mode: 0o644, flag: 'a' });
  chmodSync(join(dataDir, 'lock'), 0o664);
  chmodSync(dataDir, 0o755);
  const second = await start(dataDir);
  expect(openToOthers(dataDir)).toEqual([]);
  if (isRoot) {
    const nobody = { uid: 65534, gid: 65534, cwd: '/' };
    for (const one of ['', 'lock', 'holder.json', 'pg']) {
      const { status, stderr } = spawnSync('ls', ['-l', join(dataDir, one)], nobody);
      expect([one, status === 0, String(stderr).includes('Permission denied')]).toEqual([one, false, true]);
    }
  }
  expect(await second.stop()).toBe(undefined);
});

it('leaves a data directory open that holds files for others, with its own files closed', async () => {
  const dataDir = join(passableFolder(), 'data');
  mkdirSync(dataDir, { mode: 0o755 });
  writeFileSync(join(dataDir, 'notes.txt'), 'For everybody', { mode: 0o644 });
  warnings.length = 0;
  await start(dataDir);
  expect(warnings).toEqual(['Other users can enter the data directory, which also holds files that they can read.']);
  expect([statSync(dataDir).mode & 0o777, statSync(join(dataDir, 'notes.txt')).mode & 0o777]).toEqual([0o755, 0o644]);
  expect(openToOthers(dataDir)).toEqual(['. 755', 'notes.txt 644']);
});
