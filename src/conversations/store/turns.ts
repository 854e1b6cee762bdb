/** SQL of the bot's turns: which are claimed to be answered, with all that an answer needs, and what became of them. */
import { sql } from 'kysely';
import { isAnswerTested } from '../../experiments/store/assignments.ts';
import { IN_SIGHT, msUntil } from '../../jobs/store/dueWork.ts';
import { type LeadRow, newestDocuments } from '../../leads/store.ts';
import { NEXT_RUN_ID } from '../../llm/runs.ts';
import { type CredentialsWithinBudget, credentialsWithinBudget } from '../../llm/store/withinBudget.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed, release } from '../../platform/lease.ts';
import { idList } from '../../platform/statements.ts';
import type { ProductFacts } from '../../products/product.ts';
import { hasDescribed, type PromptText, productPrompt } from '../../prompts/store/ofProduct.ts';
import type { HistoryMessage, TeamNote } from '../systemPrompt.ts';
import { history, teamNotes } from './messages.ts';
import { type QueueFacts, queueFacts } from './queue.ts';
import type { DialogueRow } from './tables.ts';
import { hasNoUnprocessedInbound } from './unprocessed.ts';

/** Dialogues whose turn an instance answers. */
export const TURNS: Claimable<{ id: number }> = { table: 'dialogues', key: { id: 'bigint' } };

/** True if no live instance has claimed a turn, and the lead has written nothing that is not processed yet. */
const IS_FREE = sql`${isUnclaimed('d')} and ${hasNoUnprocessedInbound('d')}`;

/** True if a reply is due and may be claimed. */
const TURN_IS_DUE = sql`
  d.turn_due_at <= domain_now() and (d.turn_retry_at is null or d.turn_retry_at <= clock_timestamp()) and ${IS_FREE}`;

export const TURNS_DUE_IN = sql<number | null>`
  select ${msUntil('d.turn_due_at', 'd.turn_retry_at')} from dialogues d
   where d.turn_due_at <= domain_now() + ${IN_SIGHT} and (d.turn_retry_at is null or d.turn_retry_at <= clock_timestamp() + ${IN_SIGHT})
     and ${IS_FREE}
   order by d.turn_due_at limit 1`;

type LeadFacts = Pick<
  LeadRow,
  'id' | 'name' | 'stage' | 'crm_fields' | 'is_active' | 'recognized_deactivation_request'
>;

/** A claimed turn, and all that answering it needs. */
export interface ClaimedTurn {
  readonly id: number;
  readonly turn: number;
  /** Id of the run that answers it. */
  readonly run_id: number;
  /** How often answering it has failed. */
  readonly turn_attempts: number;
  readonly owner: DialogueRow['owner'];
  readonly lead: LeadFacts;
  readonly contact: { readonly contact: string; readonly contact_type: string };
  readonly product: ProductFacts;
  readonly prompt: PromptText | null;
  /** Whether the bot may hand the dialogue over to a human: a turn that was given back to it is not handed over again. */
  readonly may_hand_over: boolean;
  /** Whether the model may look up described prompts. */
  readonly has_described: boolean;
  /** Whether an experiment may have another prompt or model for the lead. */
  readonly is_tested: boolean;
  readonly documents: Readonly<Record<string, string>> | null;
  /** The newest messages, oldest first. */
  readonly history: readonly HistoryMessage[] | null;
  /** The notes that the product lets the model read, oldest first; null: none. */
  readonly notes: TeamNote[] | null;
  /** The company's active credentials by vendor; null if it has none. */
  readonly credentials: CredentialsWithinBudget | null;
  readonly trace: string | null;
  /** The domain clock, ISO. */
  readonly now: string;
}

/** How many answers may be asked of a model at once, and how many are or wait to be. */
export interface RoomOfModels {
  /** The model of products without one of their own, `vendor/model`. */
  readonly defaultModel: string;
  readonly perModel: number;
  /** By `modelQueue`. */
  readonly busy: ReadonlyMap<string, number>;
}

/**
 * Claim turns whose reply is due, so that no other instance asks a model for them: the oldest of each product first, so
 * that no product starves the others, and as many of each company's model as there is room for. So no more of a product
 * are read in full than its model may answer at once. The planner does not see how many models and turns: one plan fits
 * all.
 */
export async function claimTurns(
  reader: Reader,
  {
    limit,
    historyLimit,
    claimant,
    room,
  }: { limit: number; historyLimit: number; claimant: Claimant; room: RoomOfModels },
): Promise<ClaimedTurn[]> {
  const ownModel = sql`p.config->'models_config'->'chatbot_model_config'`;
  const { rows } = await sql<ClaimedTurn>`
    with due as materialized (
      select id from (
        select q.*, row_number() over (partition by q.queue order by q.place, q.turn_due_at) as nr from (
          select d.id, d.place, d.turn_due_at,
                 'model ' || p.company_id || ' ' || coalesce(nullif(${ownModel}->>'vendor', '') || '/' || nullif(${ownModel}->>'model', ''), ${room.defaultModel}) as queue
            from (select d.id, d.product_id, d.turn_due_at, row_number() over (partition by d.product_id order by d.turn_due_at) as place
                    from dialogues d where ${TURN_IS_DUE}) as d
            join products p on p.id = d.product_id where d.place <= ${room.perModel}) as q) as waiting
        left join unnest((select ${[...room.busy.keys()]}::text[]), (select ${[...room.busy.values()]}::int[])) as b (queue, running) using (queue)
       where nr <= ${room.perModel} - coalesce(running, 0)
       order by place, turn_due_at limit (select ${limit}::int)
    ), locked as materialized (
      select d.id from dialogues d where d.id = any(array(select id from due)) and ${TURN_IS_DUE} order by d.id for update skip locked
    ), claimed as materialized (
      update dialogues d set ${claim(claimant)} from locked where d.id = locked.id returning d.*
    )
    select d.id, d.turn, ${NEXT_RUN_ID} as run_id, d.turn_attempts, d.owner, t.trace, domain_now() as now,
           json_build_object('id', l.id, 'name', l.name, 'stage', l.stage, 'crm_fields', l.crm_fields, 'is_active', l.is_active,
                             'recognized_deactivation_request', l.recognized_deactivation_request) as lead,
           json_build_object('contact', c.contact, 'contact_type', c.contact_type) as contact,
           json_build_object('id', p.id, 'company_id', p.company_id, 'company_name', o.name, 'name', p.name, 'is_active', p.is_active,
                             'timezone', p.timezone, 'config', p.config) as product,
           p.hand_over and not exists (select from hand_overs h where h.dialogue_id = d.id and h.turn = d.turn) as may_hand_over,
           (select row_to_json(x) from (${productPrompt(sql`d.product_id`, 'prompt')}) as x) as prompt,
           ${hasDescribed(sql`d.product_id`)} as has_described, ${isAnswerTested(sql`d.product_id`)} as is_tested,
           (select json_object_agg(x.type, x.text) from (${newestDocuments(sql`l.id`)}) as x) as documents,
           (select json_agg(x) from (${history(sql`d.id`, { limit: historyLimit })}) as x) as history,
           case when p.bot_reads_notes then ${teamNotes(sql`d.id`)} end as notes,
           ${credentialsWithinBudget(sql`p.company_id`)} as credentials
      from claimed d join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id
      join products p on p.id = d.product_id join companies o on o.id = p.company_id
      left join messages t on t.id = d.last_user_msg_id`.execute(reader);
  return rows;
}

/** Release a turn that could neither be answered nor closed. */
export async function releaseTurn(
  reader: Reader,
  { id, turn, instanceId }: { id: number; turn: number; instanceId: string },
): Promise<void> {
  await sql`update dialogues set ${release()}
             where id = ${id} and turn = ${turn} and claimed_by = ${instanceId}`.execute(reader);
}

/** What decides whether an answer is still wanted. */
export interface TurnState {
  readonly id: number;
  readonly product_id: number;
  readonly turn: number;
  readonly is_due: boolean;
  readonly owner: DialogueRow['owner'];
  readonly lead: LeadFacts;
  readonly is_product_active: boolean;
  readonly last_user_msg_id: number | null;
  /** Whether the lead has written something that is stored and not processed yet. */
  readonly has_unprocessed_inbound: boolean;
  /** Whether it is open whether the lead wants no more messages, and model or stage detection may decide. */
  readonly has_doubt: boolean;
  /** Whether the lead waits: nothing has been sent since, and no person has seen to it. */
  readonly waits: boolean;
  /** Milliseconds since answering failed first (real clock); null: it has not. */
  readonly failing_ms: number | null;
  /** What the lead is sent if the turn is handed over; empty: nothing. */
  readonly hand_over_text: string;
  readonly queue: QueueFacts;
}

/** Load the states of locked dialogues. */
export async function loadTurnStates(tx: Tx, ids: readonly number[]): Promise<TurnState[]> {
  const { rows } = await sql<TurnState>`
    select d.id, d.product_id, d.turn, d.turn_due_at is not null as is_due, d.owner, d.waiting_since is not null as waits, p.is_active as is_product_active, d.last_user_msg_id,
           exists (select from opt_outs o where o.dialogue_id = d.id and o.state = 'doubtful' and o.ended_at is null and o.asked_at is null) as has_doubt,
           json_build_object('id', l.id, 'is_active', l.is_active, 'stage', l.stage,
                             'recognized_deactivation_request', l.recognized_deactivation_request) as lead,
           not ${hasNoUnprocessedInbound('d')} as has_unprocessed_inbound,
           (extract(epoch from clock_timestamp() - d.turn_failed_at) * 1000)::float8 as failing_ms,
           p.hand_over_text,
           ${queueFacts(sql`null`)} as queue
      from dialogues d join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id join products p on p.id = d.product_id
     where d.id = any(${idList(ids)})`.execute(tx);
  return rows;
}
