/** Compares our endpoints with the bare handler: interleaved rounds, medians. */

import { type BenchEnvironment, hookBody } from './environment.ts';
import { type LoadResult, runLoad, type Target } from './loadGenerator.ts';
import { median } from './median.ts';

export interface ComparisonResult {
  readonly name: string;
  readonly bare: LoadResult;
  readonly ours: LoadResult;
  readonly ratio: number;
  readonly aim: number;
}

export interface Rounds {
  readonly count: number;
  readonly seconds: number;
}

const medianLoad = (results: readonly LoadResult[]): LoadResult => ({
  perSecond: median(results.map((one) => one.perSecond)),
  p50: median(results.map((one) => one.p50)),
  p99: median(results.map((one) => one.p99)),
});

/** Load every target in turn, once per round. A warm-up before the first round is not counted. */
async function interleave(targets: readonly Target[], { count, seconds }: Rounds): Promise<LoadResult[]> {
  for (const target of targets) await runLoad(target, 2);
  const results = targets.map((): LoadResult[] => []);
  for (let round = 0; round < count; round++)
    for (const [index, target] of targets.entries()) results[index]?.push(await runLoad(target, seconds));
  return results.map(medianLoad);
}

/** Request 25 of a product's 1,000 leads among 100,000. Only our side checks session and scope. */
export async function compareList(environment: BenchEnvironment, rounds: Rounds): Promise<ComparisonResult[]> {
  const query = `product_id=${environment.productId}&limit=25`;
  const headers = { cookie: environment.operator.cookie };
  const ours = `${environment.world.url}/v1/leads/?${query}`;
  const [bare, without, exact] = await interleave(
    [{ url: `${environment.bareUrl}/?${query}` }, { url: `${ours}&with_total=false`, headers }, { url: ours, headers }],
    rounds,
  );
  if (!bare || !without || !exact) throw new Error('Nothing was measured');
  return [
    { name: 'List without total', bare, ours: without, ratio: without.perSecond / bare.perSecond, aim: 1.1 },
    { name: 'List with exact total', bare, ours: exact, ratio: exact.perSecond / bare.perSecond, aim: 0.85 },
  ];
}

/** Send one new message in each hook. Only our side deduplicates and queues it. */
export async function compareIngest(environment: BenchEnvironment, rounds: Rounds): Promise<ComparisonResult[]> {
  const body = hookBody(environment.world.whatsapp.ref);
  const headers = { 'content-type': 'application/json; charset-utf-8' };
  const [bare, ours] = await interleave(
    [
      { url: environment.bareUrl, headers, body },
      { url: environment.hookUrl, headers, body },
    ],
    rounds,
  );
  if (!bare || !ours) throw new Error('Nothing was measured');
  const { rows } = await environment.pool.query<{ stored: string; jobs: string }>(
    "select (select count(*) from inbox) as stored, (select count(*) from graphile_worker.jobs where task_identifier = 'receive') as jobs",
  );
  if (Number(rows[0]?.stored) === 0 || Number(rows[0]?.jobs) === 0) throw new Error('The hooks left nothing behind');
  return [{ name: 'Webhook ingest', bare, ours, ratio: ours.perSecond / bare.perSecond, aim: 1.4 }];
}
