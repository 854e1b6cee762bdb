/**
 * Runs sqlmap on every parameter of every list and every single row. The targets are derived from the endpoints, so
 * that new ones are covered. The same call must also find a deliberately vulnerable handler; otherwise the result
 * proves nothing. `--match PART_OF_AN_ENDPOINT` tries only some.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { streamLiveEvents } from '../../live/contract.ts';
import type { Endpoint } from '../../platform/contract.ts';
import { type JsonSchema, jsonSchemaOf } from '../../platform/http/shapes.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import { endpointTitle, sampleOf, urlOf } from '../../testing/sampleRequests.ts';
import { definePart, type Outcome } from '../harness/command.ts';
import { requireProgram, run } from './externalProgram.ts';
import { type Target, withTarget } from './target.ts';

/** One call of sqlmap: an address and the parameters to try. */
interface InjectionTarget {
  readonly name: string;
  readonly url: string;
  readonly parameters: readonly string[];
  /**
   * Whether to test more thoroughly: set for free text, not for parameters that accept only a number or a listed word.
   */
  readonly hard: boolean;
}

/** Excluded: the stream never ends, and sqlmap would wait for it. Its one parameter is an id as everywhere else. */
const STREAM = streamLiveEvents.path;
/** Every working call of sqlmap finishes sooner. */
const TIMEOUT_MS = 15 * 60_000;
const CONCURRENCY = 2;

const optionsOf = (schema: JsonSchema): JsonSchema[] => schema.anyOf ?? schema.oneOf ?? [schema];

/** Return a value that the parameter accepts. */
export function valueOf(schema: JsonSchema): string {
  const [one = {}] = optionsOf(schema).filter((each) => each.type !== 'null');
  if (one.type === 'array') return valueOf(one.items ?? {});
  if (one.enum) return String(one.enum[0]);
  if (one.type === 'integer' || one.type === 'number') return '1';
  if (one.type === 'boolean') return 'true';
  if (one.format === 'date') return '2026-01-02';
  if (one.format === 'date-time') return '2026-01-02T03:04:05.000Z';
  if (one.format === 'uuid') return '00000000-0000-0000-0000-000000000000';
  // A condition on a field of the CRM has a form of its own: a name and a value.
  return String(one.pattern ?? '').includes('=') ? 'Amber=Basalt' : 'Amber';
}

const isFree = (schema: JsonSchema): boolean =>
  optionsOf(schema).some((one) =>
    one.type === 'array' ? isFree(one.items ?? {}) : one.type === 'string' && !one.enum && !one.format,
  );

/** Return a target for everything that an operator can request with GET. */
function injectionTargets(
  url: string,
  endpoints: readonly Endpoint[],
  idOf: (resource: string) => number,
): InjectionTarget[] {
  const targets: InjectionTarget[] = [];
  for (const one of endpoints) {
    if (one.method !== 'GET' || one.socket || one.path === STREAM || !['session', 'admin'].includes(one.access))
      continue;
    const sample = sampleOf(one, idOf);
    const properties = Object.entries(jsonSchemaOf(one.query, 'input').properties ?? {});
    const query = Object.fromEntries(properties.map(([key, schema]) => [key, valueOf(schema)]));
    for (const hard of [true, false]) {
      const parameters = properties.filter(([, schema]) => isFree(schema) === hard).map(([key]) => key);
      if (parameters.length === 0) continue;
      // Required parameters keep the sample's values: ids of existing rows.
      const asked = { ...Object.fromEntries(parameters.map((key) => [key, query[key]])), ...sample.query };
      targets.push({
        name: endpointTitle(one),
        url: `${url}${urlOf(one, { ...sample, query: asked })}`,
        parameters,
        hard,
      });
    }
    for (const key of Object.keys(sample.params)) {
      const params = { ...sample.params, [key]: 'HERE' };
      const address = urlOf(one, { params, query: sample.query }).replace('HERE', `${String(sample.params[key])}*`);
      targets.push({ name: `${endpointTitle(one)} in its path`, url: `${url}${address}`, parameters: [], hard: false });
    }
  }
  return targets;
}

async function trySqlmap(injectionTarget: InjectionTarget, cookie: string, folder: string): Promise<string | null> {
  const { output, code } = await run(
    'sqlmap',
    [
      '-u',
      injectionTarget.url,
      '--cookie',
      cookie,
      '--output-dir',
      folder,
      ...(injectionTarget.parameters.length > 0 ? ['-p', injectionTarget.parameters.join()] : []),
      ...(injectionTarget.hard ? ['--level', '2', '--risk', '2'] : ['--level', '1', '--risk', '1']),
      // A refusal is a valid answer, but a database error message in one would be a finding.
      ...'--dbms PostgreSQL --batch --disable-coloring --flush-session --keep-alive --timeout 30 --retries 1'.split(
        ' ',
      ),
      ...'--ignore-code * --parse-errors --skip-waf'.split(' '),
      '--answers',
      'follow=N,test this URL=Y',
    ],
    TIMEOUT_MS,
  );
  if (/identified the following injection point/.test(output))
    return `${injectionTarget.name}: ${/Parameter: .+/.exec(output)?.[0] ?? 'injectable'}`;
  // A database error message must not appear in an answer, injectable or not.
  const words = /parsed DBMS error message: '.*'/.exec(output)?.[0];
  if (words !== undefined) return `${injectionTarget.name}: ${words}`;
  if (/do(?:es)? not (?:appear|seem) to be injectable/.test(output)) return null;
  return `${injectionTarget.name}: sqlmap came to no end (${code ?? 'too slow'}): ${output.replaceAll(cookie, '…').trim().slice(-300)}`;
}

/** Return how many requests the server has answered so far, by its own count. */
async function countAnsweredRequests(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return [...text.matchAll(/^rapport_http_seconds_count\{.*\} (\d+)/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}

/** Start a handler with the vulnerability that no other handler may have. */
async function startVulnerableServer(target: Target): Promise<{ url: string; close: () => void }> {
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

export const sql = definePart({
  heading: 'SQL injection',
  options: { match: ['', ''] },
  async run({ match, log }) {
    requireProgram('sqlmap');
    const folder = mkdtempSync(join(tmpdir(), 'rapport-attack-'));
    try {
      return await withTarget((target) => injectEverywhere(target, { match, folder, log }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

interface InjectionOptions {
  readonly match: string;
  readonly folder: string;
  readonly log: (line: string) => void;
}

/** Try every target whose endpoint's title contains `match`. */
async function injectEverywhere(target: Target, { match, folder, log }: InjectionOptions): Promise<Outcome> {
  const startedAt = performance.now();
  const idOf = (resource: string): number => target.rows[resource] ?? 1;
  const targets = injectionTargets(target.url, target.endpoints, idOf).filter(({ name }) => name.includes(match));
  const findings: string[] = [];
  const before = await countAnsweredRequests(target.url);
  const control = await startVulnerableServer(target);
  const vulnerable = { name: 'control', url: control.url, parameters: ['search'], hard: true };
  const finding = await trySqlmap(vulnerable, target.cookie, join(folder, 'control')).finally(control.close);
  const isControlFound = finding?.includes('Parameter: search') ?? false;
  log(`sqlmap finds the vulnerable handler: ${finding ?? 'NO'}`);
  let done = 0;
  const tryOne = async (one: InjectionTarget, index: number): Promise<void> => {
    const found = await trySqlmap(one, target.cookie, join(folder, String(index)));
    if (found !== null) findings.push(found.replaceAll('\n', ' '));
    done += 1;
    if (found !== null || done % 5 === 0)
      log(`sqlmap ${done} of ${targets.length}${found === null ? '' : `: ${found}`}`);
  };
  const limit = createSemaphore(CONCURRENCY);
  await Promise.all(targets.map((one, index) => limit(() => tryOne(one, index))));
  const endpoints = new Set(targets.map(({ name }) => name.replace(' in its path', ''))).size;
  const parameters = targets.reduce((sum, one) => sum + Math.max(1, one.parameters.length), 0);
  const requests = (await countAnsweredRequests(target.url)) - before;
  const minutes = Math.round((performance.now() - startedAt) / 60_000);
  return {
    text: `sqlmap with an admin's cookie on every parameter, and every id in the path, of every GET: ${endpoints} endpoints, ${parameters} parameters, ${requests} requests, ${minutes} minutes. Findings: **${findings.length}**. A deliberately vulnerable handler is found by the same call: ${isControlFound ? 'yes' : '**no**'}.`,
    violations: [...findings, ...(isControlFound ? [] : ['the vulnerable handler was not found: this proves nothing'])],
  };
}
