/** Lists with every mix of filters, and how much memory they leave in the processes of the database connections. */
import { readFileSync } from 'node:fs';
import { REFERENCE } from '../../platform/contract.ts';
import { jsonSchemaOf } from '../../platform/http/shapes.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import { sampleOf, urlOf } from '../../testing/sampleRequests.ts';
import { definePart } from '../harness/command.ts';
import { format, rowTable } from '../harness/report.ts';
import { valueOf } from './injection.ts';
import { type Target, withTarget } from './target.ts';

const CONCURRENCY = 16;
const MAX_ADDRESS = 12_000;
/** Most that the connections' memory may grow by, in megabytes. */
const MAX_GROWTH_MB = 100;

/** Return the private memory of all connection processes together. */
async function backendMemory({ pool }: Target): Promise<{ backends: number; mb: number }> {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name like 'rapport%'`,
  );
  const kilobytes = rows.map(({ pid }) =>
    Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
  );
  return { backends: rows.length, mb: kilobytes.reduce((sum, one) => sum + one, 0) / 1024 };
}

/** Yield the addresses of lists, each time with other filters, of one value or many. */
function* filterMixes(target: Target): Generator<string> {
  const idOf = (resource: string): number => target.rows[resource] ?? 1;
  const lists = target.endpoints.filter(
    (one) =>
      one.method === 'GET' &&
      one.access === 'session' &&
      'order_by' in (jsonSchemaOf(one.query, 'input').properties ?? {}),
  );
  for (let mix = 1; ; mix++)
    for (const one of lists) {
      const sample = sampleOf(one, idOf);
      const properties = Object.entries(jsonSchemaOf(one.query, 'input').properties ?? {});
      const query: Record<string, unknown> = {};
      for (const [index, [key, schema]] of properties.entries()) {
        // Use another set of filters in each round.
        if (key === 'page' || ((mix * 2_654_435_761) >>> (index % 31)) % 2 === 0) continue;
        const resource = [schema, ...(schema.anyOf ?? [])].map((each) => (each.items ?? each)[REFERENCE]).find(Boolean);
        const value = key === 'created_timezone' ? 'Europe/Berlin' : resource ? idOf(resource) : valueOf(schema);
        const isMany = [schema, ...(schema.anyOf ?? [])].some(({ type }) => type === 'array');
        query[key] = isMany ? Array.from({ length: 1 + (mix % 40) }, () => value) : value;
      }
      const address = urlOf(one, { ...sample, query: { ...query, ...sample.query } });
      // A longer one is 431: the head of a request has 16 KB.
      if (address.length < MAX_ADDRESS) yield address;
    }
}

/** `--lists N`: number of requests. */
export const lists = definePart({
  heading: 'Lists with every mix of filters',
  options: { lists: [10_000, 300] },
  run: ({ lists: count, log }) =>
    withTarget(async (target) => {
      const addresses = filterMixes(target);
      let refused = 0;
      const limit = createSemaphore(CONCURRENCY);
      const requestOne = async (): Promise<void> => {
        const answer = await fetch(`${target.url}${addresses.next().value}`, { headers: { cookie: target.cookie } });
        await answer.arrayBuffer();
        if (answer.status === 200) return;
        refused += 1;
        if (refused < 4) log(`${answer.status} ${answer.url.slice(0, 200)}`);
      };
      const requestMany = (times: number) => Promise.all(Array.from({ length: times }, () => limit(requestOne)));
      // Afterwards all connections are open, with their basic memory allocated.
      await requestMany(200);
      const before = await backendMemory(target);
      await requestMany(count);
      const after = await backendMemory(target);
      const columns = {
        lists: count,
        'not answered with 200': `**${refused}**`,
        connections: after.backends,
        'memory of their own before / after': `${format(before.mb, 'MB')} / **${format(after.mb, 'MB')}**`,
      };
      return {
        text: `An admin requests every list, each time with other filters of one to forty values, 16 at once. Version 1.0.0, measured on another day: 2,146 lists took the connections from 31 MB to 3.6 GB.

${rowTable(columns)}`,
        violations: [
          ...(refused > 0 ? [`${refused} lists were not answered with 200`] : []),
          ...(after.mb - before.mb >= MAX_GROWTH_MB ? ['the memory of the connections grew too much'] : []),
        ],
      };
    }),
});
