/** What a person's wish to get no more messages means. Pure, for server and console. */

export const optOutStates = ['doubtful', 'certain'] as const;
export type OptOutState = (typeof optOutStates)[number];

/**
 * How we know of it: the lead's words; the model that answers, by its tool; stage detection; the bot's promise of silence;
 * an operator, in the console or by the API. `upgrade`: recorded before sources were.
 */
export const optOutSources = ['words', 'model', 'detection', 'promise', 'operator', 'upgrade'] as const;
export type OptOutSource = (typeof optOutSources)[number];

/** The open wish of a person that counts: a certain one before a doubtful one, of several the newest. */
export interface PersonOptOut {
  readonly state: OptOutState;
  readonly source: OptOutSource;
  /** Milliseconds since 1970, domain clock. */
  readonly since: number;
}

/** Why nothing unsolicited is sent to a person. */
export type OptOutReason = { readonly code: 'person_opted_out' | 'person_may_opt_out' };

/** Return why nothing unsolicited is sent to a person now. */
export const optOutReason = ({ state }: Pick<PersonOptOut, 'state'>): OptOutReason => ({
  code: state === 'certain' ? 'person_opted_out' : 'person_may_opt_out',
});

/** The sentence that operators see for it. */
export const OPT_OUT_REASONS: Readonly<Record<OptOutReason['code'], string>> = {
  person_opted_out: 'This person asked not to be written to',
  person_may_opt_out: 'This person may want no more messages: somebody has to decide',
};

/** What decides whether somebody has asked for a message of ours. */
interface OwnMessage {
  readonly author: string;
  /** The lead's message that it answers. */
  readonly reply_on_msg_id: number | null;
  /** ISO instant, or ms since 1970, on the domain clock. */
  readonly created_at: string | number;
}

const instantOf = ({ created_at: at }: OwnMessage): number => (typeof at === 'number' ? at : Date.parse(at));

/**
 * Whether a message of ours must not leave because of its recipient's wish. An answer may: the person has written. So may
 * what an operator wrote after the wish was known, which the operator had to confirm.
 */
export function isUnwanted(message: OwnMessage, { since }: Pick<PersonOptOut, 'since'>): boolean {
  if (message.reply_on_msg_id !== null) return false;
  return message.author === 'bot' || instantOf(message) <= since;
}

/**
 * Whether a message is the answer by which the bot has promised to write no more. It is stored after the wish that follows
 * from it, and nothing of the bot is stored later.
 */
export function isPromise(message: OwnMessage, { state, source, since }: PersonOptOut): boolean {
  const isPromised = state === 'certain' && source === 'promise';
  return isPromised && message.author === 'bot' && message.reply_on_msg_id !== null && instantOf(message) >= since;
}

/**
 * Return what a model's request to stop, or the bot's promise of silence, means: the person's wish if the person's own
 * words have a hint of it, else a question to people, so that a model alone silences nobody.
 */
export const stateByModel = ({ hasHint }: { readonly hasHint: boolean }): OptOutState =>
  hasHint ? 'certain' : 'doubtful';
