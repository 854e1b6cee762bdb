/** Our endpoints against the baseline: interleaved rounds, medians. `--rounds N --seconds S`. */
import { countRows } from '../harness/calls.ts';
import { definePart } from '../harness/command.ts';
import { compareThroughput } from '../harness/load.ts';
import { format, table } from '../harness/report.ts';
import { hookBody, JSON_HEADERS, withBaseline } from './environment.ts';

export const comparison = definePart({
  heading: 'Against a bare handler',
  options: { rounds: [7, 1], seconds: [4, 2] },
  run: ({ rounds, seconds }) =>
    // Only the web role: this measures the ingest, not the work that follows from it.
    withBaseline({ RAPPORT_ROLES: 'web' }, async ({ world, operator, bare, productId, hookUrl }) => {
      const query = `product_id=${productId}&limit=25`;
      const headers = { cookie: operator.cookie };
      const list = `${world.url}/v1/leads/?${query}`;
      const [bareList, without, exact] = await compareThroughput(
        [
          { url: `${bare.url}/?${query}&with_total=false` },
          { url: `${list}&with_total=false`, headers },
          { url: list, headers },
        ],
        { rounds, seconds },
      );
      const body = hookBody(world);
      const [bareIngest, ingest] = await compareThroughput(
        [
          { url: bare.url, headers: JSON_HEADERS, body },
          { url: hookUrl, headers: JSON_HEADERS, body },
        ],
        { rounds, seconds },
      );
      if (!bareList || !without || !exact || !bareIngest || !ingest) throw new Error('Nothing was measured');
      if ((await countRows(world.pool, 'inbox')) === 0) throw new Error('No hook was stored');
      const compared = [
        { name: 'List without total', bare: bareList, ours: without, target: 1.2 },
        { name: 'List with exact total', bare: bareList, ours: exact, target: 1 },
        { name: 'Webhook ingest', bare: bareIngest, ours: ingest, target: 1.5 },
      ].map((one) => ({ ...one, ratio: one.ours.perSecond / one.bare.perSecond }));
      const lines = compared.map((one) => [
        one.name,
        one.bare.perSecond,
        one.ours.perSecond,
        `**${format(one.ratio)}**`,
        one.target,
        `${one.bare.p50} / ${one.ours.p50} ms`,
        `${one.bare.p99} / ${one.ours.p99} ms`,
      ]);
      return {
        text: `The bare handler is node:http and pg in a process of its own: plain prepared statements, default types, no session, no scope, no validation, no total; the ingest in four round trips, without deduplication and queue. Same PostgreSQL, same settings; ours has 8 connections, the bare one 16. autocannon is a third process, with 32 connections; ${rounds} rounds of ${seconds} s each, interleaved, medians. Ours runs with the role web.

${table(['', 'bare req/s', 'ours req/s', 'ratio', 'target', 'p50 bare / ours', 'p99 bare / ours'], lines)}

List: 25 of the 1,000 leads of one product among 100,000, session and scope checked. Ingest: one new message in each hook, stored without duplicates and queued before the 200.`,
        violations: compared
          .filter(({ ratio, target }) => ratio < target)
          .map(({ name, ratio, target }) => `${name}: ${format(ratio)} of the bare handler, the target is ${target}`),
      };
    }),
});
