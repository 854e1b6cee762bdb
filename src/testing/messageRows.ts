/** Reads rows behind a lead's dialogue directly from the tables. */
import { randomUUID } from 'node:crypto';
import type { TestLead, World } from './world.ts';
import { WAZZUP_KEY } from './world.ts';

export interface MessageFacts {
  id: number;
  side: 'user' | 'bot';
  author: string;
  status: string;
  reason: string | null;
  error_code: string | null;
  message: string;
  kind: string;
  turn: number | null;
  retry_count: number;
  ext_id: string | null;
  send_key: string;
}

/** Read a lead's messages, oldest first; `side` filters them. */
export async function messagesOf(world: World, lead: TestLead, side?: 'user' | 'bot'): Promise<MessageFacts[]> {
  const { rows } = await world.pool.query<MessageFacts>(
    `select id::int, side, author, status, reason, error_code, message, kind, turn, retry_count, ext_id, send_key
       from messages where contact_id = $1 and ($2::text is null or side = $2) order by id`,
    [lead.contactId, side ?? null],
  );
  return rows;
}

export interface DialogueFacts {
  owner: string;
  owner_reason: string | null;
  owner_reason_detail: string | null;
  no_answer: string | null;
  no_answer_detail: string | null;
  turn: number;
  turn_is_due: boolean;
}

/** Read a lead's dialogue; throws if there is none. */
export async function dialogueOf(world: World, lead: TestLead): Promise<DialogueFacts> {
  const { rows } = await world.pool.query<DialogueFacts>(
    `select owner, owner_reason, owner_reason_detail, no_answer, no_answer_detail, turn, turn_due_at is not null as turn_is_due
       from dialogues where contact_id = $1`,
    [lead.contactId],
  );
  const [row] = rows;
  if (!row) throw new Error(`${lead.name} has no dialogue`);
  return row;
}

/** Return the address to which the vendor sends the world's hooks. */
export async function hookUrl(world: World): Promise<string> {
  const account = (await world.control.accounts()).find((one) => one.key === WAZZUP_KEY);
  if (!account?.webhooksUri) throw new Error('The vendor has no address for hooks');
  return account.webhooksUri;
}

/** Post a hook of Wazzup24 unchanged; returns the status and the number of new items. */
export async function postHook(url: string, body: object): Promise<{ status: number; accepted: number | null }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset-utf-8' },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json().catch(() => null);
  const accepted = typeof answer === 'object' && answer !== null && 'accepted' in answer ? answer.accepted : null;
  return { status: response.status, accepted: typeof accepted === 'number' ? accepted : null };
}

/** Build one item of a hook's `messages` for an inbound text; fields can be overridden. */
export function inboundItem(
  world: World,
  address: string,
  text: string,
  overrides: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    messageId: randomUUID(),
    channelId: world.whatsapp.ref,
    chatType: 'whatsapp',
    chatId: address,
    dateTime: new Date().toISOString(),
    type: 'text',
    isEcho: false,
    status: 'inbound',
    text,
    contact: { name: 'Somebody' },
    ...overrides,
  };
}

/** Count the model calls so far. */
export async function countModelCalls(world: World): Promise<number> {
  return (await world.control.entriesOf('completion')).length;
}
