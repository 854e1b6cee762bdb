/** SQL statements about wrong codes at the second step of a sign-in. */
import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    second_factor_guesses: Row<'second_factor_guesses'>;
  }
}

/** Seconds until the operator's next code is accepted; 0 if it may be tried now. The operator's row has to be locked. */
export async function secondsToWait(tx: Tx, operatorId: number): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from wait_until - clock_timestamp()))::float8 as seconds from second_factor_guesses
     where operator_id = ${operatorId} and wait_until > clock_timestamp()`.execute(tx);
  return rows[0]?.seconds ?? 0;
}

/** Count a wrong code. Returns how many there were in a row. */
export async function insertGuess(tx: Tx, operatorId: number, network: string): Promise<number> {
  const { rows } = await sql<{ in_a_row: number }>`
    insert into second_factor_guesses as g (operator_id, in_a_row, wrong, last_network)
    values (${operatorId}, 1, 1, ${network})
    on conflict (operator_id) do update
       set in_a_row = g.in_a_row + 1, wrong = g.wrong + 1, last_network = excluded.last_network,
           last_at = clock_timestamp(), first_at = case when g.wrong = 0 then clock_timestamp() else g.first_at end
    returning in_a_row`.execute(tx);
  return rows[0]?.in_a_row ?? 1;
}

/** Let the operator's next code wait, and show them a notice. */
export async function setWait(tx: Tx, operatorId: number, seconds: number): Promise<void> {
  await sql`
    update second_factor_guesses set is_noticed = true, wait_until = clock_timestamp() + ${seconds} * interval '1 second'
     where operator_id = ${operatorId}`.execute(tx);
}

/** Reset the count after a success. The notice stays until it is dismissed. */
export async function clearWait(tx: Tx, operatorId: number): Promise<void> {
  await sql`delete from second_factor_guesses where operator_id = ${operatorId} and not is_noticed`.execute(tx);
  await sql`
    update second_factor_guesses set in_a_row = 0, wait_until = null where operator_id = ${operatorId}`.execute(tx);
}

/** Remove the notice, not the wait. Returns false if there is none. */
export async function deleteNotice(tx: Tx, operatorId: number): Promise<boolean> {
  const { rows } = await sql`
    update second_factor_guesses set is_noticed = false, wrong = 0
     where operator_id = ${operatorId} and is_noticed returning 1`.execute(tx);
  return rows.length > 0;
}

/** Forget all wrong codes of an operator: the password by which they were tried no longer works. */
export async function deleteGuesses(tx: Tx, operatorId: number): Promise<void> {
  await sql`delete from second_factor_guesses where operator_id = ${operatorId}`.execute(tx);
}

export interface GuessNotice {
  count: number;
  first_at: string;
  last_at: string;
  last_network: string | null;
}

/** Read what the operator is to be shown; null if nothing. */
export async function readNotice(reader: Reader, operatorId: number): Promise<GuessNotice | null> {
  const { rows } = await sql<GuessNotice>`
    select wrong as count, first_at, last_at, last_network from second_factor_guesses
     where operator_id = ${operatorId} and is_noticed`.execute(reader);
  return rows[0] ?? null;
}
