/** SQL of the classification queue. */
import { type Selectable, sql } from 'kysely';
import { dueIf } from '../../jobs/store/dueWork.ts';
import type { Reader, Row, Tables, Tx } from '../../platform/db.ts';
import { type Claimable, type Claimant, claim, isUnclaimed, release } from '../../platform/lease.ts';
import { type Classification, classification } from '../classificationContract.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    classifications: Row<'classifications', { state: 'open' | 'done' | 'void' | 'failed' }>;
  }
}

export type ClassificationRow = Selectable<Tables['classifications']>;

/**
 * Open a classification for each turn whose interval has passed. Skips turns that were due before the product began
 * to classify. Each turn is checked once: the index holds only turns that were not.
 */
export async function openDueClassifications(reader: Reader, limit: number): Promise<void> {
  await sql`
    with due as (
      select d.id, d.product_id, d.turn
        from classification_configs c
        cross join lateral (
          select make_interval(mins => (c.config->>'interval_minutes')::int) as pause
        ) as i
        cross join lateral (
          select id, product_id, turn from dialogues
           where product_id = c.product_id and turn > classified_turn
             and last_user_msg_at <= domain_now() - i.pause and last_user_msg_at > c.created_at - i.pause
           order by last_user_msg_at limit ${limit}
           for update skip locked
        ) as d
       limit ${limit}
    ), seen as (
      update dialogues d set classified_turn = due.turn from due where d.id = due.id
    )
    insert into classifications (product_id, dialogue_id, turn)
    select product_id, id, turn from due on conflict do nothing`.execute(reader);
}

/** Turns that an instance classifies. */
export const CLASSIFICATIONS: Claimable<{ id: number }> = { table: 'classifications', key: { id: 'bigint' } };

const IS_DUE = sql`
  c.state = 'open' and c.due_at <= domain_now() and (c.retry_at is null or c.retry_at <= clock_timestamp())
  and ${isUnclaimed('c')}`;

export const CLASSIFICATIONS_DUE_IN = dueIf(sql`
  exists (select 1 from classifications c where ${IS_DUE})
  or exists (select 1 from classification_configs c
              cross join lateral (select make_interval(mins => (c.config->>'interval_minutes')::int) as pause) as i
               join dialogues d on d.product_id = c.product_id and d.turn > d.classified_turn
                and d.last_user_msg_at <= domain_now() - i.pause and d.last_user_msg_at > c.created_at - i.pause)`);

export async function findDueClassifications(
  reader: Reader,
  limit: number,
): Promise<{ id: number; product_id: number }[]> {
  const { rows } = await sql<{ id: number; product_id: number }>`
    select c.id, c.product_id from classifications c where ${IS_DUE} order by c.due_at limit ${limit}`.execute(reader);
  return rows;
}

/**
 * Claim a classification, so that no other instance asks a model for it. Null if it is not due or already claimed.
 */
export async function claimClassification(
  reader: Reader,
  id: number,
  claimant: Claimant,
): Promise<ClassificationRow | null> {
  const { rows } = await sql<ClassificationRow>`
    update classifications c set ${claim(claimant)}
     where c.id = ${id} and ${IS_DUE} returning c.*`.execute(reader);
  return rows[0] ?? null;
}

export async function releaseClassification(reader: Reader, id: number, instanceId: string): Promise<void> {
  await sql`update classifications set ${release()} where id = ${id} and claimed_by = ${instanceId}`.execute(reader);
}

/** Close an open classification. Returns false if it was closed already. */
export async function closeClassification(
  tx: Tx,
  { id, state, note }: { id: number; state: 'done' | 'void' | 'failed'; note: string | null },
): Promise<boolean> {
  const { rows } = await sql`
    update classifications
       set state = ${state}, note = ${note}, retry_at = null, failed_at = null, attempts = 0, settled_at = domain_now(),
           ${release()}
     where id = ${id} and state = 'open' returning id`.execute(tx);
  return rows.length > 0;
}

/**
 * Schedule a retry after `seconds` (real clock). Returns whether it has been failing for longer than
 * `timeoutSeconds`.
 */
export async function deferClassification(
  tx: Tx,
  { id, seconds, note, timeoutSeconds }: { id: number; seconds: number; note: string; timeoutSeconds: number },
): Promise<boolean> {
  const { rows } = await sql<{ spent: boolean }>`
    update classifications
       set attempts = attempts + 1, note = ${note}, failed_at = coalesce(failed_at, clock_timestamp()),
           retry_at = clock_timestamp() + make_interval(secs => ${seconds}), ${release()}
     where id = ${id} and state = 'open'
     returning failed_at < clock_timestamp() - make_interval(secs => ${timeoutSeconds}) as spent`.execute(tx);
  return rows[0]?.spent ?? false;
}

/** Defer to the next UTC day of the domain clock. */
export async function deferClassificationToNextDay(tx: Tx, id: number, note: string): Promise<void> {
  await sql`
    update classifications
       set due_at = (date_trunc('day', domain_now() at time zone 'UTC') + interval '1 day') at time zone 'UTC',
           note = ${note}, retry_at = null, failed_at = null, attempts = 0, ${release()}
     where id = ${id} and state = 'open'`.execute(tx);
}

/** Make a company's classifications due that were deferred because its budget was spent. */
export async function resumeClassifications(
  tx: Tx,
  companyId: number,
): Promise<{ dialogue_id: number; product_id: number }[]> {
  const { rows } = await sql<{ dialogue_id: number; product_id: number }>`
    update classifications c set due_at = domain_now(), note = null
      from products p
     where p.id = c.product_id and p.company_id = ${companyId} and c.state = 'open' and c.due_at > domain_now()
     returning c.dialogue_id, c.product_id`.execute(tx);
  return rows;
}

/** Open a turn's classification now, whatever its interval; one that failed or is void starts over. */
export async function reopenClassification(
  tx: Tx,
  dialogue: { readonly id: number; readonly product_id: number; readonly turn: number },
): Promise<'opened' | 'done'> {
  const { rows } = await sql`
    insert into classifications as c (product_id, dialogue_id, turn)
    values (${dialogue.product_id}, ${dialogue.id}, ${dialogue.turn})
    on conflict (dialogue_id, turn) do update
       set state = 'open', note = null, due_at = domain_now(), attempts = 0, retry_at = null, failed_at = null, settled_at = null
     where c.state <> 'done'
    returning id`.execute(tx);
  await sql`update dialogues set classified_turn = turn where id = ${dialogue.id}`.execute(tx);
  return rows.length > 0 ? 'opened' : 'done';
}

/** Return the dialogues of a product whose current turn could not be classified. */
export async function findUnclassifiedDialogues(reader: Reader, productId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select d.id from classifications c join dialogues d on d.id = c.dialogue_id and d.turn = c.turn
     where c.product_id = ${productId} and c.state = 'failed' order by d.id`.execute(reader);
  return rows.map((row) => row.id);
}

/** Return the newest result and the state of the current turn. Undefined if there is no such dialogue. */
export async function readClassification(reader: Reader, dialogueId: number): Promise<Classification | undefined> {
  const { rows } = await sql<
    Record<'stage' | 'reason' | 'confirmation' | 'at' | 'note' | 'due_at' | 'waits_until', string | null> & {
      confirmed: boolean | null;
      state: ClassificationRow['state'] | null;
    }
  >`
    select r.result->>'stage' as stage, r.result->>'reason' as reason, (r.result->>'confirmed')::boolean as confirmed,
           r.result->>'confirmation' as confirmation, r.created_at as at, t.state, t.note, t.due_at,
           case when d.turn > d.classified_turn and d.last_user_msg_at > c.created_at - i.pause
                then d.last_user_msg_at + i.pause end as waits_until
      from dialogues d
      left join classifications t on t.dialogue_id = d.id and t.turn = d.turn
      left join classification_configs c on c.product_id = d.product_id
      left join lateral (select make_interval(mins => (c.config->>'interval_minutes')::int) as pause) as i on true
      left join lateral (
        select result, created_at from classification_results where dialogue_id = d.id order by id desc limit 1
      ) as r on true
     where d.id = ${dialogueId}`.execute(reader);
  const [row] = rows;
  if (!row) return undefined;
  const { stage, reason, confirmed, confirmation, at, state, note, due_at, waits_until } = row;
  return classification.parse({
    latest: stage === null ? null : { stage, reason, confirmed, confirmation, at },
    turn:
      state !== null
        ? { state, note, due_at }
        : waits_until === null
          ? null
          : { state: 'waiting', note: null, due_at: waits_until },
  });
}
