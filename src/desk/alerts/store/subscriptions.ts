/** SQL of browsers that push services deliver to, and of the keys that the services know this installation by. */
import { sql } from 'kysely';
import type { Reader, Tx } from '../../../platform/db.ts';

export interface StoredSubscription {
  readonly endpointHash: Buffer;
  readonly sealed: string;
}

/** The subscription of a session's browser; null if it has none. */
export async function findSubscription(reader: Reader, sessionId: number): Promise<StoredSubscription | null> {
  const { rows } = await sql<StoredSubscription>`
    select endpoint_hash as "endpointHash", subscription_sealed as sealed from push_subscriptions
     where session_id = ${sessionId}`.execute(reader);
  return rows[0] ?? null;
}

export async function isSubscribed(reader: Reader, sessionId: number): Promise<boolean> {
  return (await findSubscription(reader, sessionId)) !== null;
}

interface NewSubscription extends StoredSubscription {
  readonly operatorId: number;
  readonly sessionId: number;
  readonly host: string;
}

/**
 * Store the subscription of a session's browser, in place of its former one. Returns whether the browser had none in
 * this session.
 */
export async function storeSubscription(
  tx: Tx,
  { endpointHash, sealed, operatorId, sessionId, host }: NewSubscription,
): Promise<boolean> {
  const { rows: former } = await sql<{ same: boolean }>`
    delete from push_subscriptions where session_id = ${sessionId} and endpoint_hash <> ${endpointHash}`.execute(tx);
  const { rows } = await sql<{ is_new: boolean }>`
    with former as (select session_id from push_subscriptions where endpoint_hash = ${endpointHash})
    insert into push_subscriptions (endpoint_hash, operator_id, session_id, subscription_sealed, host)
    values (${endpointHash}, ${operatorId}, ${sessionId}, ${sealed}, ${host})
    on conflict (endpoint_hash) do update set operator_id = excluded.operator_id, session_id = excluded.session_id,
      subscription_sealed = excluded.subscription_sealed
    returning not exists (select from former where session_id = ${sessionId}) as is_new`.execute(tx);
  return former.length > 0 || rows[0]?.is_new === true;
}

/** Forget the subscription of a session. Returns whether it had one. */
export async function deleteSubscriptionOf(tx: Tx, sessionId: number): Promise<boolean> {
  const { rows } = await sql`delete from push_subscriptions where session_id = ${sessionId} returning 1`.execute(tx);
  return rows.length > 0;
}

/** Forget a subscription that its push service does not know any more. */
export async function deleteSubscription(reader: Reader, endpointHash: Buffer): Promise<void> {
  await sql`delete from push_subscriptions where endpoint_hash = ${endpointHash}`.execute(reader);
}

export async function recordPushError(reader: Reader, endpointHash: Buffer, error: string): Promise<void> {
  await sql`update push_subscriptions set last_error = ${error.slice(0, 500)}, last_error_at = clock_timestamp()
             where endpoint_hash = ${endpointHash}`.execute(reader);
}

export interface StoredKeys {
  readonly publicKey: string;
  readonly sealed: string;
}

export async function readVapidKeys(reader: Reader): Promise<StoredKeys | null> {
  const { rows } = await sql<{ publicKey: string | null; sealed: string | null }>`
    select vapid_public_key as "publicKey", vapid_private_key_sealed as sealed from installation where id = 1`.execute(
    reader,
  );
  const { publicKey = null, sealed = null } = rows[0] ?? {};
  return publicKey === null || sealed === null ? null : { publicKey, sealed };
}

/** Store the keys, unless another server has stored its own. */
export async function storeVapidKeys(reader: Reader, { publicKey, sealed }: StoredKeys): Promise<void> {
  await sql`update installation set vapid_public_key = ${publicKey}, vapid_private_key_sealed = ${sealed}
             where id = 1 and vapid_public_key is null`.execute(reader);
}
