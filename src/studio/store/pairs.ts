import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import type { Listing } from '../../platform/http/listQuery.ts';
import { PRODUCT_SCOPE } from '../../products/product.ts';
import type { JudgePair, Preference } from '../judgeContract.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    studio_pairs: Row<
      'studio_pairs',
      {
        history: JudgePair['history'];
        judged_order: Preference;
        judged_reverse: Preference;
        judged: Preference;
        label: Preference | null;
      }
    >;
  }
}

/** Pairs as operators see them: what the judge preferred is shown with their own label only. */
export const PAIRS: Listing = {
  from: 'studio_pairs t',
  select: {
    id: 't.id',
    product_id: 't.product_id',
    history: 't.history',
    first: 't.first',
    second: 't.second',
    label: 't.label',
    judged: 'case when t.label is not null then t.judged end',
    labelled_by: 't.labelled_by',
    created_at: 't.created_at',
  },
  conditions: { judge: 't.judge = $', lead_id: 't.lead_id = $', is_labelled: '((t.label is not null) = $)' },
  search: [],
  ...PRODUCT_SCOPE,
  id: 't.id',
};

/** Store what a judge has said of the turns of a run, to be labelled. Pairs that are stored already are left alone. */
export async function storePairsOfRun(tx: Tx, runId: number): Promise<void> {
  await sql`
    insert into studio_pairs (product_id, run_id, dialogue_id, lead_id, message_id, history, first, second,
                              is_candidate_first, judge, judged_order, judged_reverse, judged)
    select x.product_id, x.run_id, x.dialogue_id, x.lead_id, x.message_id, x.history, j.first, j.second,
           j.is_candidate_first, j.judge, j."order", j.reverse, j.judged
      from studio_subjects x
      join studio_samples s on s.subject_id = x.id and s.arm = 'judge' and s.state = 'done'
     cross join jsonb_to_record(s.output) as j (first text, second text, is_candidate_first boolean, judge text,
                                                "order" text, reverse text, judged text)
     where x.run_id = ${runId} and x.dialogue_id is not null and x.lead_id is not null and x.message_id is not null
     order by x.rank desc, x.id
    on conflict (run_id, message_id) do nothing`.execute(tx);
}

/** Store an operator's label. Returns the pair's product; undefined if there is no such pair. */
export async function labelPair(
  tx: Tx,
  { id, label, login }: { id: number; label: Preference; login: string },
): Promise<{ product_id: number } | undefined> {
  return tx
    .updateTable('studio_pairs')
    .set({ label, labelled_by: login, labelled_at: sql<string>`domain_now()` })
    .where('id', '=', id)
    .returning('product_id')
    .executeTakeFirst();
}

export interface JudgedPair {
  run_id: number | null;
  label: Preference | null;
  judged: Preference;
  judged_order: Preference;
  judged_reverse: Preference;
  is_candidate_first: boolean;
}

/** Most pairs that a calibration reads: the newest, since prompts and models change. */
const CALIBRATION_PAIRS = 2000;

/** Read what a judge and the operators said of the newest pairs of a product. */
export async function readJudgedPairs(
  reader: Reader,
  { productId, judge }: { productId: number; judge: string },
): Promise<JudgedPair[]> {
  return reader
    .selectFrom('studio_pairs')
    .select(['run_id', 'label', 'judged', 'judged_order', 'judged_reverse', 'is_candidate_first'])
    .where('product_id', '=', productId)
    .where('judge', '=', judge)
    .orderBy('id', 'desc')
    .limit(CALIBRATION_PAIRS)
    .execute();
}
