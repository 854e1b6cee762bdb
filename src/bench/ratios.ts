/** Our endpoints against the bare handler: interleaved rounds, medians. */
import { type Shot, shoot, type Target } from './cannon.ts';
import { median } from './median.ts';
import { hookBody, type Setting } from './setting.ts';

export interface Compared {
  readonly name: string;
  readonly bare: Shot;
  readonly ours: Shot;
  readonly ratio: number;
  readonly aim: number;
}

export interface Rounds {
  readonly count: number;
  readonly seconds: number;
}

const medianShot = (shots: readonly Shot[]): Shot => ({
  perSecond: median(shots.map((one) => one.perSecond)),
  p50: median(shots.map((one) => one.p50)),
  p99: median(shots.map((one) => one.p99)),
});

/** Shoots at every target in turn, as often as there are rounds; what was shot first to warm up does not count. */
async function interleave(targets: readonly Target[], { count, seconds }: Rounds): Promise<Shot[]> {
  for (const target of targets) await shoot(target, 2);
  const shots = targets.map((): Shot[] => []);
  for (let round = 0; round < count; round++)
    for (const [index, target] of targets.entries()) shots[index]?.push(await shoot(target, seconds));
  return shots.map(medianShot);
}

/** 25 of the 1,000 leads of a product among 100,000; session and scope are checked on our side. */
export async function compareList(setting: Setting, rounds: Rounds): Promise<Compared[]> {
  const query = `product_id=${setting.productId}&limit=25`;
  const headers = { cookie: setting.operator.cookie };
  const ours = `${setting.world.url}/v1/leads/?${query}`;
  const [bare, without, exact] = await interleave(
    [{ url: `${setting.bareUrl}/?${query}` }, { url: `${ours}&with_total=false`, headers }, { url: ours, headers }],
    rounds,
  );
  if (!bare || !without || !exact) throw new Error('Nothing was measured');
  return [
    { name: 'List without total', bare, ours: without, ratio: without.perSecond / bare.perSecond, aim: 1.1 },
    { name: 'List with exact total', bare, ours: exact, ratio: exact.perSecond / bare.perSecond, aim: 0.85 },
  ];
}

/** One new message in each hook: deduplicated, stored and queued on our side. */
export async function compareIngest(setting: Setting, rounds: Rounds): Promise<Compared[]> {
  const body = hookBody(setting.world.whatsapp.ref);
  const headers = { 'content-type': 'application/json; charset-utf-8' };
  const [bare, ours] = await interleave(
    [
      { url: setting.bareUrl, headers, body },
      { url: setting.hookUrl, headers, body },
    ],
    rounds,
  );
  if (!bare || !ours) throw new Error('Nothing was measured');
  const { rows } = await setting.pool.query<{ stored: string; jobs: string }>(
    "select (select count(*) from inbox) as stored, (select count(*) from graphile_worker.jobs where task_identifier = 'receive') as jobs",
  );
  if (Number(rows[0]?.stored) === 0 || Number(rows[0]?.jobs) === 0) throw new Error('The hooks left nothing behind');
  return [{ name: 'Webhook ingest', bare, ours, ratio: ours.perSecond / bare.perSecond, aim: 1.4 }];
}
