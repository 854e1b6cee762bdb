/** What is left to know of our messages that have left: the rest of them is forgotten. Instants are ms since 1970 UTC. */
import { hasLeft } from '../../engine/rules/message.ts';
import type { LeadFacts } from '../facts.ts';
import type { MemoryDialogue, MemoryMessage, Place, Step, Thread } from './rows.ts';

const NO_STEP: Step = { anchor: 0, number: 0, group: null, at: null };
const NO_ANSWER: Thread['answer'] = { to: 0, at: null };

export const newThread = (existing: Partial<Thread> = {}): Thread => ({
  last: null,
  step: NO_STEP,
  answer: NO_ANSWER,
  replied: null,
  group: null,
  hasAny: false,
  ...existing,
});

/** Forget a message that has left, but for what follows from it, or that was cancelled. */
export function forgetSettled(dialogue: MemoryDialogue, message: MemoryMessage): void {
  const { state, thread, messages } = dialogue;
  const { status, thread_at: at, origin, part_group: group, ping_step_number: step, turn } = message.state;
  if (status !== 'cancelled' && !hasLeft(message.state)) return;
  if (messages.at(-1) === message) messages.pop();
  else messages.splice(messages.indexOf(message), 1);
  if (status === 'cancelled') return;
  const { id, author } = message;
  thread.hasAny = true;
  thread.group = group;
  const place = { id, ours: true, at, failed: false };
  if (thread.last === null || thread.last.at <= at) thread.last = place;
  thread.step = stepWith(thread.step, message, { anchor: state.last_user_msg_id ?? 0, at });
  if (origin === 'hand_over') return;
  thread.replied = place;
  const { last_user_msg_id: to, last_user_msg_at: userAt } = state;
  const isLate = author === 'bot' && turn !== null && turn < state.turn;
  if (to === null || userAt === null || isLate || step !== null) return;
  if (isAfter({ id, at }, { id: to, at: userAt })) thread.answer = { to, at };
}

/** The highest step after the lead's last message, with this message of ours. `at`: when it left; null: it waits. */
export function stepWith(
  step: Step,
  { anchor: own, state }: MemoryMessage,
  { anchor, at }: { readonly anchor: number; readonly at: number | null },
): Step {
  const { ping_step_number: number, part_group: group } = state;
  if (number !== null && own !== null) {
    const isHighest = own === anchor && (step.anchor !== anchor || number >= step.number);
    return isHighest ? { anchor, number, group, at } : step;
  }
  if (group === null || group !== step.group) return step;
  return { ...step, at: at === null || step.at === null ? null : Math.max(step.at, at) };
}

const isAfter = ({ id, at }: Place, other: Place): boolean => at > other.at || (at === other.at && id > other.id);

/** Whether we have a message that is in doubt, waits or has left, but for a first one that was refused, and its parts. */
export function hasMessages({ contacts }: LeadFacts, { contactId, messages, thread }: MemoryDialogue): boolean {
  if (messages.length === 0 && !thread.hasAny) return false;
  const isRefused = contacts.some(({ id, refused }) => refused && id === contactId);
  if (!isRefused && thread.hasAny) return true;
  return messages.some(({ state: { status, origin } }) =>
    isRefused ? status === 'scheduled' : status !== 'error' || origin !== 'first',
  );
}

/** A lead's message is answered after the bot's return if it is younger than this, milliseconds. */
const UNANSWERED_MS = 24 * 3_600_000;

/** Whether the lead's last words ask for an answer that has not come and that the bot may still give. */
export function isUnanswered({ asked, state, messages, thread }: MemoryDialogue, now: number): boolean {
  if (asked === null || asked.id <= (state.closed_msg_id ?? 0) || asked.at <= now - UNANSWERED_MS) return false;
  if (thread.replied !== null && isAfter(thread.replied, asked)) return false;
  return !messages.some(
    ({ id, state: { origin, status, thread_at: at } }) =>
      origin !== 'hand_over' && status !== 'error' && isAfter({ id, at }, asked),
  );
}
