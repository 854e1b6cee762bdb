/** Sends what the operator typed: one message at a time within a dialogue, each bubble under its own id. */
import { ApiError, call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { currentParam } from '../../../ui/page.ts';
import { toast } from '../../../ui/toast.ts';
import { messages } from '../../contract.ts';
import { noteAccepted } from '../shared/nextWaiting.ts';
import { addPending, changePending, getPending, type Pending, removePending } from './pendingMessages.ts';
import { upsertMessage } from './thread.ts';
import { updateThread } from './threadQuery.ts';

interface Recipient {
  product_id: number;
  contact_id: number;
  dialogue_id: number;
}

/** Whom a message is for, and how to say so. */
interface Addressee extends Recipient {
  lead_name: string;
}

/** The last send per storage key; the next one waits for it, so that two quick texts keep their order. */
const sendQueues = new Map<string, Promise<void>>();

/** Show the bubble at once, and send it when those before it have responses. Never rejects. */
export function sendMessage(storageKey: string, recipient: Addressee, pending: Pending): Promise<void> {
  addPending(storageKey, pending);
  return enqueue(storageKey, recipient, pending);
}

/** Resend a failed bubble under the same id: if the first try arrived, it stays one message. */
export function sendAgain(storageKey: string, recipient: Addressee, clientKey: string): Promise<void> {
  const pending = getPending(storageKey).find((item) => item.client_key === clientKey);
  if (!pending) return Promise.resolve();
  // Sent again although a colleague has answered, or the person may not want it: the operator was asked.
  const change = {
    state: 'sending',
    error: null,
    asks: null,
    ...(pending.asks === 'answered' ? { seen_message_id: null } : {}),
    ...(pending.asks === 'opted_out' ? { confirm_opted_out: true } : {}),
  } as const;
  changePending(storageKey, clientKey, change);
  return enqueue(storageKey, recipient, { ...pending, ...change });
}

function enqueue(storageKey: string, recipient: Addressee, pending: Pending): Promise<void> {
  const queue = (sendQueues.get(storageKey) ?? Promise.resolve()).then(() =>
    postMessage(storageKey, recipient, pending),
  );
  sendQueues.set(storageKey, queue);
  return queue;
}

async function postMessage(storageKey: string, addressee: Addressee, pending: Pending): Promise<void> {
  const { lead_name: leadName, ...recipient } = addressee;
  try {
    const answer = await call(messages.create, {
      body: {
        ...recipient,
        message: pending.text,
        client_key: pending.client_key,
        send_not_before: pending.send_not_before,
        schedule_enabled: pending.schedule_enabled,
        keep_bot: pending.keep_bot,
        seen_message_id: pending.seen_message_id,
        draft_run_id: pending.draft_run_id,
        prepared_message_id: pending.prepared_message_id,
        confirm_opted_out: pending.confirm_opted_out,
        delay_enabled: false,
        // Keep blank lines in one message; only the vendor's limit splits typed text.
        split: false,
      },
    });
    for (const message of answer.messages) {
      updateThread(recipient.dialogue_id, (thread) => upsertMessage(thread, message));
      noteAccepted(recipient.dialogue_id, message);
    }
    removePending(storageKey, pending.client_key);
  } catch (error) {
    const failed = { state: 'failed', error: reasonOf(error), asks: questionOf(error) } as const;
    changePending(storageKey, pending.client_key, failed);
    // The bubble says why, unless the operator has gone on to another dialogue.
    if (currentParam('dialogueId') !== String(recipient.dialogue_id))
      toast.error(t('Not sent to {{name}}: {{reason}}', { name: leadName, reason: reasonOf(error) }), { duration: 0 });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ApiError) return error.sentence ?? error.title;
  return error instanceof Error ? error.message : t('Failed to send message');
}

const QUESTIONS: Readonly<Record<string, NonNullable<Pending['asks']>>> = {
  'dialogue.answered_meanwhile': 'answered',
  'person.opted_out': 'opted_out',
  'person.may_opt_out': 'opted_out',
};

/**
 * What the server asks before it sends a message: a colleague has answered since the operator looked, or the person may not
 * want it. Null for any other error.
 */
export const questionOf = (error: unknown): Pending['asks'] =>
  (error instanceof ApiError && QUESTIONS[error.code ?? '']) || null;
