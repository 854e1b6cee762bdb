/**
 * The API guide's examples, run unchanged against a real server; the results must have the shape that the guide shows.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, PASSWORD, type World } from '../testing/world.ts';

const run = promisify(execFile);
const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guide/api.md'), 'utf8');

let world: World;
let env: Record<string, string>;
beforeAll(async () => {
  world = await createWorld();
  await world.operator('reader');
  env = {
    PATH: process.env['PATH'] ?? '',
    RAPPORT_URL: world.url,
    RAPPORT_LOGIN: 'reader',
    RAPPORT_PASSWORD: PASSWORD,
  };
});
afterAll(() => world.close());

const blocks = (language: string) =>
  [...GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code]) => code ?? '');

/** Return the type of each value, without the value. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]));
}

it('runs the guide’s JavaScript, from signing in to the socket', async () => {
  // Output for a reader is written as JSON for the test; several values of one line become a list.
  const head =
    'console.log = (...all) => process.stdout.write(JSON.stringify(all.length > 1 ? all : all[0] ?? null) + "\\n");';
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', [head, ...blocks('js')].join('\n')], {
    env,
    timeout: 300_000,
  });
  const output = stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  const examples = blocks('json').map((text): unknown => JSON.parse(text));
  expect(output.map(shapeOf)).toEqual(examples.map(shapeOf));
  expect(output.at(-2)).toEqual([422, ['body.name', 'body.nickname']]);
  expect(examples.length).toBeGreaterThan(8);
});

it('runs the guide’s shell commands where curl is installed', async () => {
  const [script = ''] = blocks('sh');
  expect(script).toContain('/v1/auth/login');
  const present = await run('curl', ['--version'], { env }).then(
    () => true,
    () => false,
  );
  if (!present) return;
  const { stdout } = await run('sh', ['-e', '-c', script], { env, timeout: 300_000 });
  expect(stdout).toContain('"login":"reader"');
  expect(stdout).toContain('"items":[');
});
