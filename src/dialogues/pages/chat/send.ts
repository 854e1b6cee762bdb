/** Sends what the operator typed: one after the other within a dialogue, each bubble under its own id. */
import { ApiError, call } from '../../../kit/api.ts';
import { t } from '../../../kit/t.ts';
import { messages } from '../../contract.ts';
import { addPending, changePending, dropPending, type Pending, pendingOn } from './outbox.ts';
import { putMessage } from './thread.ts';
import { tellThread } from './threadQuery.ts';

export interface Recipient {
  product_id: number;
  contact_id: number;
  dialogue_id: number;
}

/** The last send of each shelf: the next one waits for it, so that two quick texts keep their order. */
const lines = new Map<string, Promise<void>>();

/** Shows the bubble at once and sends it as soon as those before it are answered. Never rejects. */
export function send(shelf: string, to: Recipient, pending: Pending): Promise<void> {
  addPending(shelf, pending);
  return enqueue(shelf, to, pending);
}

/** Sends a failed bubble again under the same id: should the first try have arrived, it stays one message. */
export function sendAgain(shelf: string, to: Recipient, clientKey: string): Promise<void> {
  const pending = pendingOn(shelf).find((one) => one.client_key === clientKey);
  if (!pending) return Promise.resolve();
  changePending(shelf, clientKey, { state: 'sending', error: null });
  return enqueue(shelf, to, pending);
}

function enqueue(shelf: string, to: Recipient, pending: Pending): Promise<void> {
  const line = (lines.get(shelf) ?? Promise.resolve()).then(() => post(shelf, to, pending));
  lines.set(shelf, line);
  return line;
}

async function post(shelf: string, to: Recipient, pending: Pending): Promise<void> {
  try {
    const answer = await call(messages.create, {
      body: {
        ...to,
        message: pending.text,
        client_key: pending.client_key,
        send_not_before: pending.send_not_before,
        schedule_enabled: pending.schedule_enabled,
        delay_enabled: false,
        // Blank lines stay in one message; only the vendor's limit cuts what is typed.
        split: false,
      },
    });
    for (const message of answer.messages) tellThread(to.dialogue_id, (thread) => putMessage(thread, message));
    dropPending(shelf, pending.client_key);
  } catch (error) {
    changePending(shelf, pending.client_key, { state: 'failed', error: reasonOf(error) });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return error.sentence ?? error.title;
  return error instanceof Error ? error.message : t('Failed to send message');
}
