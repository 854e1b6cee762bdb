/** Finds the turns of replayed dialogues: each answer of the bot, with the conversation before it. Pure. */
import type { ReplayedMessage } from '../store/replayed.ts';

export interface ReplayedTurn {
  readonly dialogueId: number;
  readonly leadId: number;
  readonly leadName: string;
  /** The first message of the answer that was sent. */
  readonly messageId: number;
  /** Of the turn in its dialogue, from 1. */
  readonly number: number;
  /** What the model saw, oldest first; the last one is the lead's. */
  readonly history: readonly Pick<ReplayedMessage, 'side' | 'text'>[];
  /** What was sent. */
  readonly real: string;
  /** The version that is live now wrote it, with the model of the run. */
  readonly isOfLive: boolean;
}

/**
 * Return the turns of dialogues, whose messages are in the order of their threads. `historyLimit`: most messages that a
 * model sees. Of a dialogue with many turns, the newest `limit`.
 */
export function findTurns(
  messages: readonly ReplayedMessage[],
  { historyLimit, limit }: { historyLimit: number; limit: number },
): ReplayedTurn[] {
  return [...Map.groupBy(messages, ({ dialogue_id: id }) => id).values()].flatMap((thread) => {
    const turns = answersIn(thread).flatMap((parts) => turnOf(thread, parts, historyLimit) ?? []);
    return turns.map((turn, index) => ({ ...turn, number: index + 1 })).slice(-limit);
  });
}

/** Group the bot's answers into their parts. */
function answersIn(thread: readonly ReplayedMessage[]): ReplayedMessage[][] {
  const answers = thread.filter((message) => message.is_answer);
  const groups = Map.groupBy(answers, ({ part_group: group, id }) => group ?? `message ${id}`);
  return [...groups.values()].map((parts) => parts.toSorted((one, other) => one.id - other.id));
}

function turnOf(
  thread: readonly ReplayedMessage[],
  parts: readonly ReplayedMessage[],
  historyLimit: number,
): Omit<ReplayedTurn, 'number'> | null {
  const [first] = parts;
  if (!first) return null;
  const history = thread.filter(({ id }) => id < first.id).slice(-historyLimit);
  // An answer to nothing the lead has written cannot be asked for again.
  if (history.at(-1)?.side !== 'user') return null;
  return {
    dialogueId: first.dialogue_id,
    leadId: first.lead_id,
    leadName: first.lead_name,
    messageId: first.id,
    history: history.map(({ side, text }) => ({ side, text })),
    real: parts.map(({ text }) => text).join('\n\n'),
    isOfLive: first.is_of_live,
  };
}
