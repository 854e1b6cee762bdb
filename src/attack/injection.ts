/**
 * sqlmap on every parameter of every list and of every single row: made from the endpoints, so that a new one is covered.
 * The same call has to find a handler that is made to be injected, or the whole says nothing.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { live } from '../dialogues/liveContract.ts';
import type { Endpoint } from '../platform/contract.ts';
import { type JsonSchema, jsonSchemaOf } from '../platform/http/shapes.ts';
import { addressOf, sampleOf, title } from '../testing/samples.ts';
import { run } from './program.ts';
import type { Target } from './target.ts';

/** One call of sqlmap: an address, and the parameters in it that are tried. */
interface Aim {
  readonly name: string;
  readonly url: string;
  readonly parameters: readonly string[];
  /** Free texts are tried harder than what only a number or a word of a list may be. */
  readonly hard: boolean;
}

export interface Injections {
  readonly endpoints: number;
  readonly parameters: number;
  readonly requests: number;
  /** What sqlmap found, or why it could say nothing. */
  readonly findings: readonly string[];
  /** Whether it found the handler that is made to be found. */
  readonly control: boolean;
  readonly seconds: number;
}

/** It has no end, for which sqlmap waits; its one parameter is an id as everywhere. */
const STREAM = live.path;
/** Nothing takes so long that works. */
const WITHIN_MS = 15 * 60_000;
const AT_ONCE = 2;

const optionsOf = (schema: JsonSchema): JsonSchema[] => schema.anyOf ?? schema.oneOf ?? [schema];

/** A value that the parameter takes. */
export function valueOf(schema: JsonSchema): string {
  const [one = {}] = optionsOf(schema).filter((each) => each.type !== 'null');
  if (one.type === 'array') return valueOf(one.items ?? {});
  if (one.enum) return String(one.enum[0]);
  if (one.type === 'integer' || one.type === 'number') return '1';
  if (one.type === 'boolean') return 'true';
  if (one.format === 'date') return '2026-01-02';
  if (one.format === 'date-time') return '2026-01-02T03:04:05.000Z';
  return 'Amber';
}

const isFree = (schema: JsonSchema): boolean =>
  optionsOf(schema).some((one) =>
    one.type === 'array' ? isFree(one.items ?? {}) : one.type === 'string' && !one.enum && !one.format,
  );

/** Everything that a GET of an operator may be asked with. */
export function aimsAt(url: string, endpoints: readonly Endpoint[], idOf: (noun: string) => number): Aim[] {
  const aims: Aim[] = [];
  for (const one of endpoints) {
    if (one.method !== 'GET' || one.socket || one.path === STREAM || !['session', 'admin'].includes(one.access))
      continue;
    const sample = sampleOf(one, idOf);
    const properties = Object.entries(jsonSchemaOf(one.query, 'input').properties ?? {});
    const query = Object.fromEntries(properties.map(([key, schema]) => [key, valueOf(schema)]));
    for (const hard of [true, false]) {
      const parameters = properties.filter(([, schema]) => isFree(schema) === hard).map(([key]) => key);
      if (parameters.length === 0) continue;
      // What is required stays as the sample has it: ids of rows that are there.
      const asked = { ...Object.fromEntries(parameters.map((key) => [key, query[key]])), ...sample.query };
      aims.push({ name: title(one), url: `${url}${addressOf(one, { ...sample, query: asked })}`, parameters, hard });
    }
    for (const key of Object.keys(sample.params)) {
      const params = { ...sample.params, [key]: 'HERE' };
      const address = addressOf(one, { params, query: sample.query }).replace('HERE', `${String(sample.params[key])}*`);
      aims.push({ name: `${title(one)} in its path`, url: `${url}${address}`, parameters: [], hard: false });
    }
  }
  return aims;
}

async function tryAim(aim: Aim, cookie: string, folder: string): Promise<string | null> {
  const { output, code } = await run(
    'sqlmap',
    [
      '-u',
      aim.url,
      '--cookie',
      cookie,
      '--output-dir',
      folder,
      ...(aim.parameters.length > 0 ? ['-p', aim.parameters.join()] : []),
      ...(aim.hard ? ['--level', '2', '--risk', '2'] : ['--level', '1', '--risk', '1']),
      // A refusal is an answer; what the database says in one would be a finding.
      ...'--dbms PostgreSQL --batch --disable-coloring --flush-session --keep-alive --timeout 30 --retries 1'.split(
        ' ',
      ),
      ...'--ignore-code * --parse-errors --skip-waf'.split(' '),
      '--answers',
      'follow=N,test this URL=Y',
    ],
    WITHIN_MS,
  );
  if (/identified the following injection point/.test(output))
    return `${aim.name}: ${/Parameter: .+/.exec(output)?.[0] ?? 'injectable'}`;
  // The database's own words have no business in an answer, injectable or not.
  const words = /parsed DBMS error message: '.*'/.exec(output)?.[0];
  if (words !== undefined) return `${aim.name}: ${words}`;
  if (/do(?:es)? not (?:appear|seem) to be injectable/.test(output)) return null;
  return `${aim.name}: sqlmap came to no end (${code ?? 'too slow'}): ${output.replaceAll(cookie, '…').trim().slice(-300)}`;
}

/** Requests that the server has answered so far, by its own count. */
async function answered(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^rapport_http_seconds_count\{.*\} (\d+)/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

/** A handler with the fault that all others must not have. */
async function openControl(target: Target): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const search = new URL(request.url ?? '/', 'http://control').searchParams.get('search') ?? '';
    target.pool.query(`select id, name from companies where name like '%${search}%' order by id`).then(
      ({ rows }) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ items: rows })),
      () => response.writeHead(500).end('{"detail":"Something went wrong on our side."}'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/companies?search=Amber`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Tries everything; `match` narrows it to endpoints whose title holds it. */
export async function injectEverywhere(
  target: Target,
  match: string,
  say: (line: string) => void,
): Promise<Injections> {
  const begun = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'rapport-attack-'));
  const aims = aimsAt(target.url, target.endpoints, (noun) => target.rows[noun] ?? 1).filter((aim) =>
    aim.name.includes(match),
  );
  const findings: string[] = [];
  const before = await answered(target.url);
  let done = 0;
  try {
    const control = await openControl(target);
    const hurt = await tryAim(
      { name: 'control', url: control.url, parameters: ['search'], hard: true },
      target.cookie,
      join(folder, 'control'),
    ).finally(control.close);
    say(`sqlmap finds the handler that is made to be found: ${hurt ?? 'NO'}`);
    const waiting = aims.map((aim, index): [Aim, string] => [aim, join(folder, String(index))]);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          const [aim, place] = next;
          const finding = await tryAim(aim, target.cookie, place);
          if (finding !== null) findings.push(finding);
          done += 1;
          const seconds = Math.round((performance.now() - begun) / 1000);
          if (finding !== null || done % 5 === 0)
            say(`sqlmap ${done} of ${aims.length} after ${seconds} s${finding === null ? '' : `: ${finding}`}`);
        }
      }),
    );
    return {
      endpoints: new Set(aims.map((aim) => aim.name.replace(' in its path', ''))).size,
      parameters: aims.reduce((sum, aim) => sum + Math.max(1, aim.parameters.length), 0),
      requests: (await answered(target.url)) - before,
      findings,
      control: hurt?.includes('Parameter: search') ?? false,
      seconds: (performance.now() - begun) / 1000,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
