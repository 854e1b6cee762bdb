/** All SQL statements for the assistant's proposals. All times use the database's real clock. */
import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../platform/db.ts';

declare module '../platform/db.ts' {
  interface Tables {
    assistant_questions: Row<'assistant_questions'>;
    assistant_calls: Row<
      'assistant_calls',
      { arguments: Record<string, unknown>; result: object | string | number | boolean | null }
    >;
  }
}

/** A conversation. The same chat id of another operator is a different one. */
export interface Chat {
  readonly operatorId: number;
  readonly productId: number;
  readonly chatId: string;
}

export interface NewCall {
  readonly call_id: string;
  readonly model_call_id: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly confirm: boolean;
}

export interface StoredCall extends NewCall {
  readonly index: number;
  readonly confirmed: boolean;
  readonly answered: boolean;
  readonly result: unknown;
}

export interface Question {
  readonly id: number;
  readonly state: unknown;
  /** Ordered by index. */
  readonly calls: readonly StoredCall[];
}

/** Delete expired questions of all operators. */
export async function deleteExpiredQuestions(reader: Reader, ms: number): Promise<void> {
  await sql`
    delete from assistant_questions
     where asked_at < clock_timestamp() - make_interval(secs => ${ms}::float8 / 1000)`.execute(reader);
}

/** Store a question with its calls, replacing the chat's previous one. */
export async function insertQuestion(
  tx: Tx,
  { chat, state, calls }: { chat: Chat; state: unknown; calls: readonly NewCall[] },
): Promise<void> {
  await deleteQuestion(tx, chat);
  await sql`
    with question as (
      insert into assistant_questions (operator_id, product_id, chat_id, state)
      values (${chat.operatorId}, ${chat.productId}, ${chat.chatId}, ${JSON.stringify(state)}::json) returning id)
    insert into assistant_calls (call_id, question_id, index, model_call_id, tool, arguments, confirm)
    select c.call_id, question.id, c.nr - 1, c.model_call_id, c.tool, c.arguments, c.confirm
      from question, rows from (json_to_recordset(${JSON.stringify(calls)}::json)
        as (call_id uuid, model_call_id text, tool text, arguments json, confirm boolean)) with ordinality
        as c (call_id, model_call_id, tool, arguments, confirm, nr)`.execute(tx);
}

export async function deleteQuestion(tx: Tx, chat: Chat): Promise<void> {
  await sql`
    delete from assistant_questions
     where operator_id = ${chat.operatorId} and chat_id = ${chat.chatId}`.execute(tx);
}

/** Return the chat's open question with its calls, and lock it until the transaction ends. */
export async function lockQuestion(tx: Tx, chat: Chat, ms: number): Promise<Question | undefined> {
  const { rows } = await sql<{ id: number; state: unknown }>`
    select id, state from assistant_questions
     where operator_id = ${chat.operatorId} and chat_id = ${chat.chatId} and product_id = ${chat.productId}
       and asked_at >= clock_timestamp() - make_interval(secs => ${ms}::float8 / 1000)
       for update`.execute(tx);
  const [question] = rows;
  if (!question) return undefined;
  const calls = await sql<StoredCall>`
    select call_id, index, model_call_id, tool, arguments, confirm, confirmed_at is not null as confirmed,
           answered_at is not null as answered, result
      from assistant_calls where question_id = ${question.id} order by index`.execute(tx);
  return { ...question, calls: calls.rows };
}

export async function markConfirmed(tx: Tx, callId: string): Promise<void> {
  await sql`update assistant_calls set confirmed_at = clock_timestamp() where call_id = ${callId}`.execute(tx);
}

/** Store a call's result and the updated question. */
export async function storeResult(
  tx: Tx,
  { callId, result, state }: { callId: string; result: unknown; state: unknown },
): Promise<void> {
  await sql`
    update assistant_questions set state = ${JSON.stringify(state)}::json
     where id = (select question_id from assistant_calls where call_id = ${callId})`.execute(tx);
  await sql`
    update assistant_calls set answered_at = clock_timestamp(), result = ${JSON.stringify(result)}::json
     where call_id = ${callId}`.execute(tx);
}
