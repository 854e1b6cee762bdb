/** SQL expressions of what a row `t` of the ledger does not keep itself: read from the events, messages and runs of its attempt. */
import { type Reached, reachable } from '../outcomeContract.ts';

/** Return the bit of something that may be reached. The indexes of refusals and hand-overs have conditions of the same bits. */
export const bitOf = (name: Reached): number => 2 ** reachable.indexOf(name);
const [refused, optedOut] = [bitOf('refused'), bitOf('opted_out')];

/** The refusals: a lead who opted out is one of these, whatever stage followed. */
export const OPTED_OUT = `t.reached & ${optedOut} <> 0`;
export const REFUSED = `(t.reached & ${optedOut + refused} = ${refused})`;
export const OPTED_OUT_OR_REFUSED = `t.reached & ${optedOut + refused} <> 0`;

/** The first message `m` of a person after the first hand-over, for a `from`. */
export const FIRST_RESPONSE = `contacts c join messages m on m.contact_id = c.id and m.attempt = t.attempt
  where c.lead_id = t.lead_id and m.author in ('operator', 'phone') and is_exchanged(m.side, m.kind, m.status)
    and coalesce(m.sent_at, m.created_at) >= t.handed_over_at
  order by coalesce(m.sent_at, m.created_at), m.id limit 1`;

export const HANDED_OVER = `t.reached & ${bitOf('handed_over')} <> 0`;

/** Who wrote it: an operator's login; null on a phone, where nobody knows who types. */
export const RESPONDER = `(select m.operator from ${FIRST_RESPONSE})`;
export const RESPONSE = `(case when ${HANDED_OVER} then coalesce(
  (select case when m.operator is null then 'phone' else 'operator' end from ${FIRST_RESPONSE}), 'none') end)`;

/** The model of a run `r`: `VENDOR/MODEL`. */
export const MODEL_OF_RUN = `r.model_vendor || '/' || r.model_name`;

/** Attempts with a run of these purposes and models, for the values of a filter: `PURPOSE:VENDOR/MODEL`. */
export const HAS_RUN = `exists (select from llm_runs r
  where r.lead_id = t.lead_id and r.attempt = t.attempt and r.purpose || ':' || ${MODEL_OF_RUN} = $)`;
