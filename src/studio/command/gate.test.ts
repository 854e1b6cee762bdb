/** The pipeline's command, run as a pipeline runs it: another process, a running installation, exit codes, a report. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type StudioRuns, studioRuns } from '../../testing/studioRuns.ts';
import { createWorld, freePort, PASSWORD, PROMPT, type World } from '../../testing/world.ts';
import { listStudioRuns, type StudioRun } from '../runContract.ts';
import { escapeXml, toJunit } from './junit.ts';

const QUESTION = 'How much does a kitchen cost?';
let world: World;
let studio: StudioRuns;
let folder: string;
let product: string[];
beforeAll(async () => {
  world = await createWorld();
  studio = await studioRuns(world, await world.operator('anna'));
  folder = mkdtempSync(join(tmpdir(), 'rapport-gate-'));
  product = ['--product', String(world.productId)];
  const { rows } = await world.pool.query<{ id: string }>("insert into companies (name) values ('Other') returning id");
  await world.operator('mallory', [Number(rows[0]?.id)]);
  await studio.createCase(QUESTION, [{ kind: 'contains', text: '4200 euros' }], { name: 'Price <b> & "more"' });
});
afterEach(() => world.control.setFaults([]));
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world.close();
});

function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
    env: {
      PATH: process.env['PATH'],
      RAPPORT_URL: world.url,
      RAPPORT_LOGIN: 'anna',
      RAPPORT_PASSWORD: PASSWORD,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed.text += chunk;
    });
  return { child, printed, ended: once(child, 'close').then(([code]) => ({ code: Number(code), text: printed.text })) };
}
const gate = (...args: string[]) => start(['gate', ...product, ...args]).ended;

describe('the gate of a pipeline', () => {
  it('is green with code 0, and writes what it found', async () => {
    const [junit, json] = [join(folder, 'green.xml'), join(folder, 'green.json')];
    const { code, text } = await gate('--junit', junit, '--json', json);
    expect([code, text]).toEqual([0, expect.stringContaining('green    Price <b> & "more": 3 of 3, live 3 of 3')]);
    expect(readFileSync(junit, 'utf8')).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="Rapport studio"><testsuite name="Vera" time="[\d.]+" tests="1" failures="0" errors="0" skipped="0"><properties>.*<\/properties><testcase name="Price &lt;b&gt; &amp; &quot;more&quot;" classname="Vera"\/><\/testsuite><\/testsuites>\n$/,
    );
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject([
      { name: 'Vera', problem: null, run: { kind: 'gate', version: 1, state: 'done', verdict: { state: 'green' } } },
    ]);
  });

  it('is red with code 1 for a text that is not saved yet, and says why', async () => {
    const [junit, file] = [join(folder, 'red.xml'), join(folder, 'draft.txt')];
    writeFileSync(file, PROMPT.replace('4200', '4300'));
    const { code, text } = await gate('--prompt', String(studio.promptId), '--text', file, '--junit', junit);
    expect([code, text]).toEqual([1, expect.stringContaining('It does not say “4200 euros”.')]);
    expect(readFileSync(junit, 'utf8')).toContain('tests="1" failures="1" errors="0"');
    expect(readFileSync(junit, 'utf8')).toContain(
      '<failure message="6 of 6 answers fail, and 0 of 6 of what is live. ',
    );
  });

  it('prints no control characters of a name that a member has given', async () => {
    const { rows } = await world.pool.query<{ id: string }>(
      `update studio_cases set name = 'Price' || chr(27) || '[2J' || chr(155) || '31m' || chr(10) || '::error::gone'
        where product_id = $1 returning id`,
      [world.productId],
    );
    const { text } = await gate();
    await world.pool.query('update studio_cases set name = $2 where id = $1', [rows[0]?.id, 'Price <b> & "more"']);
    expect(text).toContain('Price\\u001b[2J\\u009b31m\\u000a::error::gone');
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  it('could not judge with code 2: the model fails, the budget is too small', async () => {
    await world.control.setFaults([{ kind: 'openai.unauthorized' }]);
    const junit = join(folder, 'error.xml');
    const failed = await gate('--junit', junit);
    expect([failed.code, failed.text]).toEqual([2, expect.stringContaining('401')]);
    expect(readFileSync(junit, 'utf8')).toContain('failures="0" errors="2"');
    await world.control.setFaults([]);
    const spent = await gate('--budget', '0');
    expect([spent.code, spent.text]).toEqual([2, expect.stringContaining('The budget does not allow another call.')]);
  });

  it.each<[string, () => string[], Record<string, string>, string]>([
    ['an unknown product', () => ['gate', '--product', '999999'], {}, 'There is no such product.'],
    [
      'a prompt of another product',
      () => ['gate', '--product', '999999', '--prompt', String(studio.promptId)],
      {},
      'not to 999999',
    ],
    [
      'a version that there is not',
      () => ['gate', ...product, '--prompt', String(studio.promptId), '--version', '9'],
      {},
      'There is no such version',
    ],
    [
      'a wrong password',
      () => ['gate', ...product],
      { RAPPORT_PASSWORD: 'not the password' },
      'Signing in as anna failed',
    ],
    [
      'a product of another company',
      () => ['gate', ...product],
      { RAPPORT_LOGIN: 'mallory' },
      'There is no such product.',
    ],
    [
      'a prompt of another company',
      () => ['gate', ...product, '--prompt', String(studio.promptId)],
      { RAPPORT_LOGIN: 'mallory' },
      'There is no such',
    ],
    ['an unknown option', () => ['gate', '--produkt', '1'], {}, 'Usage: npm run studio'],
  ])('ends with code 2 and a sentence for %s', async (_name, args, env, sentence) => {
    const { code, text } = await start(args(), env).ended;
    expect([code, text]).toEqual([2, expect.stringContaining(sentence)]);
    expect(text).not.toMatch(/^\s+at /m);
  });

  it('ends with code 2 where nothing answers', async () => {
    const { code, text } = await start(['gate', ...product], { RAPPORT_URL: `http://127.0.0.1:${await freePort()}` })
      .ended;
    expect([code, text]).toEqual([2, expect.stringContaining('cannot be reached')]);
  });

  it('cancels its run when the pipeline is stopped', async () => {
    await world.control.setFaults([{ kind: 'openai.stall_first' }]);
    const { child, printed, ended } = start(['gate', ...product]);
    await world.waitUntil(() => printed.text.includes('0 of 6 answers'), 'the run is followed');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(2);
    const anna = await world.operator('boris');
    const { body } = await anna.call(listStudioRuns, { query: { product_id: [world.productId], limit: 1 } });
    expect((body as { items: StudioRun[] }).items[0]).toMatchObject({ state: 'cancelled' });
  });
});

it('a report holds any text', () => {
  expect(escapeXml('<a b="c">&\u0000\u0001\ud800 ]]> ✓ 👍\n')).toBe(
    '&lt;a b=&quot;c&quot;&gt;&amp;\ufffd\ufffd\ufffd ]]&gt; ✓ 👍&#10;',
  );
  expect(toJunit([{ name: 'Vera', run: null, problem: 'No cases' }])).toContain(
    'tests="1" failures="0" errors="1" skipped="0"><testcase name="The gate" classname="Vera"><error message="No cases"/>',
  );
});
