/** The columns of messages and dialogues that the rules read and change, and how rows become states. */
import { type RawBuilder, sql } from 'kysely';
import { previewOf } from '../preview.ts';
import type { Dialogue } from '../rules/dialogue.ts';
import type { Delivery } from '../rules/message.ts';
import type { Failing, Needs } from '../rules/needs.ts';

/** Types of PostgreSQL. Instants are milliseconds in states. */
type ColumnType = 'text' | 'bigint' | 'integer' | 'boolean' | 'uuid' | 'text[]' | 'timestamptz' | 'jsonb';

const DELIVERY_COLUMNS = {
  status: 'text',
  origin: 'text',
  author: 'text',
  part_group: 'uuid',
  created_at: 'timestamptz',
  thread_at: 'timestamptz',
  scheduled_at: 'timestamptz',
  originally_scheduled_at: 'timestamptz',
  sent_at: 'timestamptz',
  sent_confirmation_at: 'timestamptz',
  read_at: 'timestamptz',
  removed_at: 'timestamptz',
  reason: 'text',
  error_code: 'text',
  ext_id: 'text',
  previous_ext_ids: 'text[]',
  send_key: 'uuid',
  send_key_used_at: 'timestamptz',
  attempts: 'integer',
  retry_count: 'integer',
  retry_at: 'timestamptz',
  claimed_by: 'uuid',
  claimed_until: 'timestamptz',
  claimed_at: 'timestamptz',
  unconfirmed_at: 'timestamptz',
  status_due_at: 'timestamptz',
  recipient_not_found: 'boolean',
  schedule_enabled: 'boolean',
  debounce_guard: 'boolean',
  reply_on_msg_id: 'bigint',
  ping_step_number: 'integer',
  turn: 'integer',
} as const satisfies Record<keyof Omit<Delivery, 'preview'>, ColumnType>;

const NEEDS_COLUMNS = {
  last_user_msg_at: 'timestamptz',
  last_bot_msg_id: 'bigint',
  last_message: 'text',
  last_msg_created_at: 'timestamptz',
  waiting_since: 'timestamptz',
  failed_since: 'timestamptz',
  unconfirmed_since: 'timestamptz',
  snoozed_until: 'timestamptz',
  snoozed_until_reply: 'boolean',
  done_at: 'timestamptz',
} as const satisfies Record<keyof Needs, ColumnType>;

const DIALOGUE_COLUMNS = {
  ...NEEDS_COLUMNS,
  last_user_msg_id: 'bigint',
  turn: 'integer',
  turn_due_at: 'timestamptz',
  turn_attempts: 'integer',
  turn_retry_at: 'timestamptz',
  turn_failed_at: 'timestamptz',
  claimed_by: 'uuid',
  claimed_until: 'timestamptz',
  no_answer: 'text',
  no_answer_detail: 'text',
  quiet_reason: 'text',
  closed_msg_id: 'bigint',
  closed_at: 'timestamptz',
  skip_ping_for_msg_id: 'bigint',
  owner: 'text',
  owner_reason: 'text',
  owner_reason_detail: 'text',
  owner_since: 'timestamptz',
  human_at: 'timestamptz',
  assignee_id: 'bigint',
  hand_over_open: 'boolean',
  return_hours: 'integer',
  done_needs: 'jsonb',
  may_opt_out_since: 'timestamptz',
} as const satisfies Record<keyof Dialogue, ColumnType>;

/** Of each table, the columns that changes may have. */
export const COLUMNS = {
  messages: DELIVERY_COLUMNS,
  dialogues: { ...DIALOGUE_COLUMNS, chat_id: 'text' },
} as const satisfies Record<string, Readonly<Record<string, ColumnType>>>;

type Columns = Readonly<Record<string, ColumnType>>;

const select = (table: string, columns: Columns): RawBuilder<unknown> =>
  sql.raw(
    Object.keys(columns)
      .map((name) => `${table}.${name} as ${table}_${name}`)
      .join(', '),
  );

/** For `select`: the state of message `m`, but for its preview, and that of dialogue `d`. */
export const MESSAGE_STATE = select('m', DELIVERY_COLUMNS);
export const DIALOGUE_STATE = select('d', NEEDS_COLUMNS);

/** For `select`: the failed and doubtful messages of dialogue `d` that people see to. */
export const FAILING = sql`case when d.failed_since is not null or d.unconfirmed_since is not null then (
  select json_agg(json_build_array(f.id, f.status)) from messages f
   where f.dialogue_id = d.id and f.side = 'bot' and f.origin is null and f.removed_at is null
     and f.status in ('error', 'unconfirmed')) end as failing`;

type StateRow = Readonly<Record<string, unknown>>;

function read(row: StateRow, prefix: string, columns: Columns): Record<string, unknown> {
  const state: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(columns)) {
    const value = row[prefix + name];
    state[name] = fromStored(value, type, columns);
  }
  return state;
}

/** What a column holds as JSON are columns too, by their names. */
function fromStored(value: unknown, type: ColumnType | undefined, columns: Columns): unknown {
  if (type === 'timestamptz' && typeof value === 'string') return Date.parse(value);
  if (type !== 'jsonb' || value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, fromStored(one, columns[name], columns)]),
  );
}

/** The reverse of what is read. */
export function toStored(value: unknown, type: string | undefined, columns: Readonly<Record<string, string>>): unknown {
  if (type === 'timestamptz' && typeof value === 'number') return new Date(value).toISOString();
  if (type !== 'jsonb' || value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toStored(one, columns[name], columns)]));
}

/** Read a message's state from a row with `MESSAGE_STATE`; with `prefix` empty, from a whole row of messages. */
export const toDelivery = (row: StateRow, text: string, prefix: 'm_' | '' = 'm_'): Delivery =>
  ({ ...read(row, prefix, DELIVERY_COLUMNS), preview: previewOf(text) }) as unknown as Delivery;

/** Read a dialogue's state from a row with `DIALOGUE_STATE`. */
export const toNeeds = (row: StateRow): Needs => read(row, 'd_', NEEDS_COLUMNS) as unknown as Needs;

/** For `select`: the whole state of dialogue `d`. */
export const WHOLE_DIALOGUE = select('d', DIALOGUE_COLUMNS);

/** Read a dialogue's whole state from a row with `WHOLE_DIALOGUE`; with `prefix` empty, from a whole row of dialogues. */
export const toDialogue = (row: StateRow, prefix: 'd_' | '' = 'd_'): Dialogue =>
  read(row, prefix, DIALOGUE_COLUMNS) as unknown as Dialogue;

/** Read what `FAILING` selects. */
export const toFailing = (failing: readonly [number, 'error' | 'unconfirmed'][] | null): Failing => new Map(failing);
