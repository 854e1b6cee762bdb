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
  conditions: { judge: 't.judge = $', is_labelled: '((t.label is not null) = $)' },
  search: [],
  ...PRODUCT_SCOPE,
  id: 't.id',
};

export interface NewPair {
  product_id: number;
  run_id: number;
  dialogue_id: number;
  lead_id: number;
  message_id: number;
  history: JudgePair['history'];
  first: string;
  second: string;
  is_candidate_first: boolean;
  judge: string;
  judged_order: Preference;
  judged_reverse: Preference;
  judged: Preference;
}

/** Store pairs; those of a turn that the run has stored already are left alone. */
export async function insertPairs(tx: Tx, pairs: readonly NewPair[]): Promise<void> {
  if (pairs.length === 0) return;
  await sql`
    insert into studio_pairs (product_id, run_id, dialogue_id, lead_id, message_id, history, first, second,
                              is_candidate_first, judge, judged_order, judged_reverse, judged)
    select product_id, run_id, dialogue_id, lead_id, message_id, history, first, second, is_candidate_first, judge,
           judged_order, judged_reverse, judged
      from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb)
           as t (product_id bigint, run_id bigint, dialogue_id bigint, lead_id bigint, message_id bigint, history jsonb,
                 first text, second text, is_candidate_first boolean, judge text, judged_order text, judged_reverse text,
                 judged text)
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
    .select(['label', 'judged', 'judged_order', 'judged_reverse', 'is_candidate_first'])
    .where('product_id', '=', productId)
    .where('judge', '=', judge)
    .orderBy('id', 'desc')
    .limit(CALIBRATION_PAIRS)
    .execute();
}
