import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadSandbox, startEmulators } from './loadSandbox.ts';
import { readConfig } from './platform/config.ts';
import { createLog } from './platform/log.ts';
import { isAlive } from './platform/postgres/postmaster.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'rapport-load-sandbox-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
const log = createLog('silent');
const configOf = (env: Record<string, string> = {}) => readConfig({ RAPPORT_DATA_DIR: dataDir, ...env });

it('starts emulators early only where they have run, and ends them if this is no sandbox', async () => {
  expect(startEmulators(configOf(), log)).toBeNull();
  mkdirSync(join(dataDir, 'emulators'));
  writeFileSync(join(dataDir, 'emulators/emulators.json'), '{}');
  expect(startEmulators(configOf({ RAPPORT_SANDBOX: 'off' }), log)).toBeNull();

  const emulators = startEmulators(configOf(), log);
  const pid = (await emulators)?.pid() ?? 0;
  expect(isAlive(pid)).toBe(true);
  expect(await loadSandbox({ mode: 'production', config: configOf(), log, emulators })).toBeNull();
  expect(isAlive(pid)).toBe(false);
});
