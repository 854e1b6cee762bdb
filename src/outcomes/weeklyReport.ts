/** The weekly report: read for a week, and published as an event once the week has ended. */
import type pg from 'pg';
import type { AppContext } from '../platform/appContext.ts';
import { dayAt, formatDay, instantAt } from '../platform/days.ts';
import { failpoint } from '../platform/failpoint.ts';
import { ids } from '../platform/ids.ts';
import { publishEvent } from '../webhooks/publishEvent.ts';
import type { OutcomeFilter } from './outcomeContract.ts';
import { mondayOf } from './period.ts';
import { readRefusalGroups, readSpent, readWaits } from './readInsights.ts';
import { readBy, readSteps, readStrip } from './readOutcomes.ts';
import type { WeeklyReport } from './reportContract.ts';
import { claimWeek, type ReportedProduct, readReportedProducts } from './store/weeklyReports.ts';

interface ReportQuestion {
  readonly product: { readonly id: number; readonly name: string; readonly timezone: string };
  /** A day of the week, counted from 1970. */
  readonly day: number;
  readonly now: number;
}

/** Read the figures of one week. */
export async function readReport(
  { pool, config }: { readonly pool: pg.Pool; readonly config: { readonly publicUrl: string } },
  { product, day, now }: ReportQuestion,
): Promise<WeeklyReport> {
  const monday = mondayOf(day);
  const [from, to] = [formatDay(monday), formatDay(monday + 6)];
  const filter: OutcomeFilter = { product_id: product.id, started_from: from, started_to: to };
  const question = { filter, zone: product.timezone, now };
  const [strip, firstTexts, promptVersions, followUps, refusals, waits, spent] = await Promise.all([
    readStrip(pool, question),
    readBy(pool, 'first_text', question),
    readBy(pool, 'prompt_version', question),
    readSteps(pool, question),
    readRefusalGroups(pool, question),
    readWaits(pool, question),
    readSpent(pool, { ...question, by: 'week' }),
  ]);
  return {
    product_id: product.id,
    product_name: product.name,
    from,
    to,
    url: new URL(`/?page=insights-report&productId=${product.id}&week=${from}`, config.publicUrl).href,
    strip,
    first_texts: firstTexts,
    prompt_versions: promptVersions,
    follow_ups: followUps,
    refusals: {
      refusals: refusals.refusals,
      rate: refusals.rate,
      // The examples are words of leads.
      items: refusals.items.map(({ examples: _examples, ...item }) => item),
      others: refusals.others,
    },
    response_times: {
      handed_over: waits.handed_over,
      unanswered: waits.unanswered,
      median: waits.overall.median,
      p90: waits.overall.p90,
    },
    models: spent.models,
  };
}

/** A webhook that is added just before Monday is not known to the timer of the next week. */
const LONGEST_WAIT_MS = 600_000;

/**
 * Publish the reports of the weeks that have ended: each once, however many instances do it. A week during which no
 * server ran has none. Resolves to the milliseconds until the next week begins somewhere.
 */
export async function publishReports(context: AppContext): Promise<number> {
  const { products, now } = await readReportedProducts(context.reader);
  const failures: unknown[] = [];
  const waits = products.map(({ timezone }) => instantAt(timezone, mondayOf(dayAt(timezone, now)) + 7) - now);
  for (const product of products)
    await publishReport(context, product, now).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} weekly reports were not made`);
  return Math.min(LONGEST_WAIT_MS, ...waits);
}

async function publishReport(context: AppContext, product: ReportedProduct, now: number): Promise<void> {
  const { id: productId, timezone, last_week: lastWeek } = product;
  const monday = mondayOf(dayAt(timezone, now));
  const [week, startsAt] = [formatDay(monday), instantAt(timezone, monday)];
  if (lastWeek !== null && lastWeek >= week) return;
  const report = await readReport(context, { product, day: monday - 7, now });
  failpoint('report.beforeCommit');
  await context.transact(async (tx) => {
    const eventId = ids.next();
    if (!(await claimWeek(tx, { productId, week, eventId }))) return;
    await publishEvent(tx, {
      type: 'report.weekly',
      productId,
      id: eventId,
      key: `report.weekly:${productId}:${report.from}`,
      data: report,
      wantedSince: new Date(startsAt).toISOString(),
    });
  });
  failpoint('report.afterCommit');
}
