import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import type { Reader } from '../platform/db.ts';
import { readList } from '../platform/http/listQuery.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { endRun } from './endRun.ts';
import { kindOf } from './kinds.ts';
import {
  cancelStudioRun,
  estimateStudioRun,
  listStudioResults,
  listStudioRuns,
  readStudioRun,
  type StudioResult,
  type StudioRun,
  startStudioRun,
  studioOutput,
  studioRefusals,
} from './runContract.ts';
import { planRun, startRun } from './startRun.ts';
import {
  lockOpenRun,
  type ResultRow,
  RUN_SOURCE,
  readResultRows,
  readRun,
  readStoredResults,
  type StoredRun,
} from './store/runs.ts';

export function runRoutes(context: AppContext): Route[] {
  return [
    route(startStudioRun, async ({ body, caller, requestId }) => {
      const id = await startRun(context, body, { caller, requestId });
      return ok(201, await readWholeRun(context.reader, id));
    }),
    route(estimateStudioRun, async ({ body }) => ok(200, (await planRun(context, context.reader, body)).estimate)),
    route(listStudioRuns, async ({ query, caller }) => {
      const found = await readList<StoredRun>(context.pool, {
        listing: RUN_SOURCE,
        query,
        companies: caller.companies,
      });
      const items = await withVerdicts(context.reader, found.items);
      return ok(200, { ...found, items, page: query.page, limit: query.limit });
    }),
    route(readStudioRun, async ({ params }) => ok(200, await readWholeRun(context.reader, params.id))),
    route(cancelStudioRun, async ({ params: { id }, caller, requestId }) => {
      await context.transact(async (tx) => {
        const run = await lockOpenRun(tx, id);
        if (!run) {
          if (!(await readRun(tx, id))) throw refuse(commonRefusals, 'not_found', { noun: 'run' });
          throw refuse(studioRefusals, 'studio.finished');
        }
        await endRun(context, tx, { run, end: { state: 'cancelled', reason: `Cancelled by ${caller.login}` } });
        const productId = run.product_id;
        await recordAuditEntry(tx, {
          caller,
          requestId,
          action: 'cancelled',
          noun: 'studio_run',
          rowId: id,
          productId,
        });
      });
      return ok(200, await readWholeRun(context.reader, id));
    }),
    route(listStudioResults, async ({ params: { id }, query: { page, limit, state = null } }) => {
      const run = await readRun(context.reader, id);
      if (!run) throw refuse(commonRefusals, 'not_found', { noun: 'run' });
      const { items, total } = await readResultRows(context.reader, id, { state, limit, page });
      return ok(200, { items: items.map((row) => toResult(run, row)), total, page, limit });
    }),
  ];
}

async function readWholeRun(reader: Reader, id: number): Promise<StudioRun> {
  const run = await readRun(reader, id);
  const [whole] = run ? await withVerdicts(reader, [run]) : [];
  if (!whole) throw refuse(commonRefusals, 'not_found', { noun: 'run' });
  return whole;
}

/** Complete the verdicts of runs from their subjects. */
async function withVerdicts(reader: Reader, runs: readonly StoredRun[]): Promise<StudioRun[]> {
  const ended = runs.filter(({ verdict }) => verdict !== null);
  const results = Map.groupBy(
    await readStoredResults(
      reader,
      ended.map(({ id }) => id),
    ),
    ({ run_id }) => run_id,
  );
  return runs.map(({ verdict, ...run }) => ({
    ...run,
    verdict: verdict === null ? null : kindOf(run.kind).toVerdict(verdict, results.get(run.id) ?? []),
  }));
}

function toResult({ kind }: Pick<StoredRun, 'kind'>, { samples, result, source, ...row }: ResultRow): StudioResult {
  const ofArm = (wanted: string) =>
    samples
      .filter(({ arm }) => arm === wanted)
      .map(({ repeat, output, error, violations }) => {
        return { repeat, output: studioOutput.nullable().catch(null).parse(output), error, violations };
      });
  return {
    ...row,
    real_source: source === 'should_say' ? 'operator' : row.subject.message_id === null ? 'playground' : 'sent',
    candidate: ofArm('candidate'),
    live: ofArm('live'),
    change: null,
    diverged: false,
    judged: null,
    ...kindOf(kind).toResult?.(result),
  };
}
