/** The invariant that the bot is silent after a hand-over or a deactivation. */

interface SentMessage {
  readonly id: number;
  readonly dialogue_id: number;
  readonly message: string;
  readonly author: string;
  readonly origin: string | null;
  readonly created: number;
  readonly claimed: number | null;
}

interface SilenceFacts {
  readonly messages: readonly SentMessage[];
  readonly dialogues: readonly { readonly id: number; readonly owner: string; readonly owner_since: number | null }[];
  readonly deactivations: readonly { readonly dialogue_id: number; readonly at: number }[];
}

/**
 * 5: no message of the bot is claimed after a human took over the dialogue or the lead was deactivated. The sentence of
 * the bot's own hand-over is, as long as no human has written since.
 */
export function checkNothingSentAfterHandOver({ messages, dialogues, deactivations }: SilenceFacts): string[] {
  const since = new Map<number, number>();
  for (const one of dialogues)
    if (one.owner === 'human' && one.owner_since !== null) since.set(one.id, one.owner_since);
  const silencedAt = new Map<number, number>();
  for (const { dialogue_id, at } of deactivations) silencedAt.set(dialogue_id, at);
  const isByHuman = ({ author }: SentMessage) => author === 'operator' || author === 'phone';
  const endOf = (one: SentMessage): number => {
    const deactivatedAt = silencedAt.get(one.dialogue_id) ?? Number.POSITIVE_INFINITY;
    if (one.origin !== 'hand_over')
      return Math.min(deactivatedAt, since.get(one.dialogue_id) ?? Number.POSITIVE_INFINITY);
    const answers = messages.filter(
      (other) => other.dialogue_id === one.dialogue_id && isByHuman(other) && other.created > one.created,
    );
    return Math.min(deactivatedAt, ...answers.map(({ created }) => created));
  };
  return messages
    .filter((one) => one.author === 'bot' && (one.claimed ?? 0) > endOf(one))
    .map((one) => `5: message ${one.id} "${one.message}" was claimed after the bot had been silenced`);
}
