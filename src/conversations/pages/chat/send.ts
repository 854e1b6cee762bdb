/** Sends what the operator typed: one message at a time within a dialogue, each bubble under its own id. */
import { ApiError, call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { messages } from '../../contract.ts';
import { addPending, changePending, getPending, type Pending, removePending } from './pendingMessages.ts';
import { upsertMessage } from './thread.ts';
import { updateThread } from './threadQuery.ts';

export interface Recipient {
  product_id: number;
  contact_id: number;
  dialogue_id: number;
}

/** The last send per storage key; the next one waits for it, so that two quick texts keep their order. */
const sendQueues = new Map<string, Promise<void>>();

/** Show the bubble at once, and send it when those before it have responses. Never rejects. */
export function sendMessage(storageKey: string, recipient: Recipient, pending: Pending): Promise<void> {
  addPending(storageKey, pending);
  return enqueue(storageKey, recipient, pending);
}

/** Resend a failed bubble under the same id: if the first try arrived, it stays one message. */
export function sendAgain(storageKey: string, recipient: Recipient, clientKey: string): Promise<void> {
  const pending = getPending(storageKey).find((item) => item.client_key === clientKey);
  if (!pending) return Promise.resolve();
  changePending(storageKey, clientKey, { state: 'sending', error: null });
  return enqueue(storageKey, recipient, pending);
}

function enqueue(storageKey: string, recipient: Recipient, pending: Pending): Promise<void> {
  const queue = (sendQueues.get(storageKey) ?? Promise.resolve()).then(() =>
    postMessage(storageKey, recipient, pending),
  );
  sendQueues.set(storageKey, queue);
  return queue;
}

async function postMessage(storageKey: string, recipient: Recipient, pending: Pending): Promise<void> {
  try {
    const answer = await call(messages.create, {
      body: {
        ...recipient,
        message: pending.text,
        client_key: pending.client_key,
        send_not_before: pending.send_not_before,
        schedule_enabled: pending.schedule_enabled,
        delay_enabled: false,
        // Keep blank lines in one message; only the vendor's limit splits typed text.
        split: false,
      },
    });
    for (const message of answer.messages)
      updateThread(recipient.dialogue_id, (thread) => upsertMessage(thread, message));
    removePending(storageKey, pending.client_key);
  } catch (error) {
    changePending(storageKey, pending.client_key, { state: 'failed', error: reasonOf(error) });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return error.sentence ?? error.title;
  return error instanceof Error ? error.message : t('Failed to send message');
}
