/** Calls and counts that several proofs use. */
import type pg from 'pg';
import { messages } from '../../conversations/contract.ts';
import type { Endpoint } from '../../platform/contract.ts';
import type { Client } from '../../testing/client.ts';
import type { World } from '../../testing/world.ts';

/** Call an endpoint; throws if it is refused. Returns the id in the answer, 0 if it has none. */
export async function callOrThrow<E extends Endpoint>(
  operator: Client,
  endpoint: E,
  parts: Parameters<typeof operator.call<E>>[1],
): Promise<number> {
  const { status, body } = await operator.call(endpoint, parts);
  if (status >= 300) throw new Error(`${endpoint.path}: ${status} ${JSON.stringify(body).slice(0, 500)}`);
  return typeof body === 'object' && body !== null && 'id' in body ? Number(body.id) : 0;
}

/** Open streams of one operator: a node admits a hundred. */
export const STREAMS_OF_OPERATOR = 50;

/** Sign in as many operators as so many open streams need. */
export async function signInOperators(world: World, streams: number): Promise<Client[]> {
  const operators: Client[] = [];
  while (operators.length * STREAMS_OF_OPERATOR < streams) operators.push(await world.operator());
  return operators;
}

/** Count rows; `from`: a table and its condition. */
export async function countRows(pool: pg.Pool, from: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(`select count(*)::int as count from ${from}`);
  return rows[0]?.count ?? 0;
}

interface TypedMessage {
  readonly productId: number;
  readonly contactId: number;
  /** Text of the message, and its client key. */
  readonly key: string;
  readonly notBefore?: string | null;
  readonly keepsHours?: boolean;
}

/** Send a message as an operator does in the console. */
export const typeMessage = (
  operator: Client,
  { productId, contactId, key, notBefore = null, keepsHours = false }: TypedMessage,
) =>
  operator.call(messages.create, {
    body: {
      product_id: productId,
      contact_id: contactId,
      message: key,
      client_key: key,
      send_not_before: notBefore,
      schedule_enabled: keepsHours,
    },
  });
