import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'rapport-failpoint-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PASSES = `import { failpoint } from ${JSON.stringify(join(import.meta.dirname, 'failpoint.ts'))};
for (let pass = 1; pass <= 3; pass++) { failpoint('other'); failpoint('one'); console.log(pass); }`;

const PRELOADED = ['--import', join(import.meta.dirname, '../testing/failpoints.ts')];

function run(env: Record<string, string>, preload: readonly string[] = PRELOADED) {
  const { signal, stdout } = spawnSync(process.execPath, [...preload, '--input-type=module', '-e', PASSES], {
    env: { PATH: process.env.PATH ?? '', ...env },
    encoding: 'utf8',
  });
  return { signal, passes: stdout.split('\n').filter((line) => line !== '') };
}

it('kills the process at the named pass of the named failpoint, and only there', () => {
  expect(run({})).toEqual({ signal: null, passes: ['1', '2', '3'] });
  expect(run({ RAPPORT_FAILPOINT: 'one' })).toEqual({ signal: 'SIGKILL', passes: [] });
  expect(run({ RAPPORT_FAILPOINT: 'one:3' })).toEqual({ signal: 'SIGKILL', passes: ['1', '2'] });
  expect(run({ RAPPORT_FAILPOINT: 'one:4' })).toEqual({ signal: null, passes: ['1', '2', '3'] });
});

it('logs every pass of a failpoint', () => {
  const file = join(folder, 'log');
  expect(run({ RAPPORT_FAILPOINT_LOG: file }).signal).toBeNull();
  expect(readFileSync(file, 'utf8')).toBe('other\none\n'.repeat(3));
});

it('passes every failpoint without effect in a process that tests have not prepared', () => {
  const file = join(folder, 'production');
  expect(run({ RAPPORT_FAILPOINT: 'one', RAPPORT_FAILPOINT_LOG: file }, [])).toEqual({
    signal: null,
    passes: ['1', '2', '3'],
  });
  expect(existsSync(file)).toBe(false);
});
