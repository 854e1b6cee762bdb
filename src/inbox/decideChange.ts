/**
 * Decides what an edit or deletion of a message changes. Pure.
 *
 * An edit by the lead is a sign of life, like a message. New words are read like those of a message: a request to stop is
 * obeyed, however old the message is. They start a turn if they say something else than before (`changesMeaning`) and
 * either nobody has answered the message yet, or it is the last that the lead has written. So 'ok' that becomes 'how much
 * is it' is answered, and a typing error that is corrected after the answer is not answered twice. A message that is
 * deleted, or edited into one that needs no answer, ends the turn unless other messages wait for their answer.
 */
import { changesMeaning } from '../conversations/changedText.ts';
import { meaningOf, type QuietReason } from '../conversations/inboundMeaning.ts';
import type { EarlierText } from '../conversations/messageChangeContract.ts';
import { type NoAnswer, noAnswerWhenBlocked } from '../conversations/noAnswer.ts';
import type { RecentMessage } from '../conversations/robots.ts';
import type { Stage } from '../leads/contract.ts';
import { botBlockReason, type HandOver, isFinalStage } from '../leads/lead.ts';
import { recogniseOptOut } from '../leads/optOut.ts';

/** Most earlier texts that are kept of a message: the first and the latest ones. */
const MAX_EARLIER_TEXTS = 20;

/** What an edit or deletion says. `at`: ISO instant, of the edit (`isTimed`) or when we received it. */
export interface Change {
  readonly kind: 'edit' | 'deletion';
  /** Null: the vendor does not say the new words. */
  readonly text: string | null;
  readonly textBefore: string | null;
  readonly at: string;
  readonly isTimed: boolean;
}

/** The message that is changed, and what is around it. */
export interface ChangedMessage {
  readonly side: 'user' | 'bot';
  readonly author: string;
  readonly message: string;
  readonly kind: string;
  readonly is_sign: boolean;
  readonly edited_at: string | null;
  readonly deleted_at: string | null;
  readonly earlier_texts: readonly EarlierText[];
  /** Whether a message of ours has answered it, or come after it. */
  readonly is_answered: boolean;
  /** Whether the lead has written nothing since. */
  readonly is_last: boolean;
  /** Whether other messages of the lead wait for an answer. */
  readonly others_wait: boolean;
  readonly age_ms: number;
  /** The messages before it, oldest first. */
  readonly recent: readonly RecentMessage[];
  readonly owner: 'bot' | 'human';
  /** Whether the bot is to answer, or its answer has not left. */
  readonly is_answer_pending: boolean;
  readonly is_product_active: boolean;
  readonly lead: {
    readonly stage: Stage;
    readonly is_active: boolean;
    readonly recognized_deactivation_request: boolean;
  };
}

/** What becomes of the turn. `begin`: a new one, answered after the debounce, or not, for a reason. */
type TurnEffect =
  | { readonly kind: 'none' }
  | { readonly kind: 'begin'; readonly isAnswered: boolean; readonly noAnswer: NoAnswer | null }
  | { readonly kind: 'void'; readonly quiet: QuietReason };

export interface ChangeDecision {
  /** New columns of the message; null: the change is older than what is known, or says nothing new. */
  readonly message: {
    readonly message: string;
    readonly earlier_texts: readonly EarlierText[];
    readonly edited_at: string | null;
    readonly deleted_at: string | null;
    readonly is_sign: boolean;
    /** Whether a model has to read it as the latest message. */
    readonly isRestated: boolean;
  } | null;
  readonly turn: TurnEffect;
  readonly lead: 'opt_out' | HandOver | null;
  /** Whether the new words may ask for no more messages. */
  readonly isDoubtful: boolean;
  /** Whether the lead has shown that it is there: follow-ups stop. */
  readonly isSignOfLife: boolean;
}

const NOTHING: ChangeDecision = {
  message: null,
  turn: { kind: 'none' },
  lead: null,
  isDoubtful: false,
  isSignOfLife: false,
};

export function decideChange(change: Change, message: ChangedMessage): ChangeDecision {
  return change.kind === 'deletion' ? decideDeletion(change, message) : decideEdit(change, message);
}

const storedColumns = ({ message, earlier_texts, edited_at, deleted_at, is_sign }: ChangedMessage) => ({
  message,
  earlier_texts,
  edited_at,
  deleted_at,
  is_sign,
  isRestated: false,
});

function decideDeletion({ at }: Change, message: ChangedMessage): ChangeDecision {
  if (message.deleted_at !== null) return NOTHING;
  const changed = { ...storedColumns(message), deleted_at: at };
  if (message.side === 'bot') return { ...NOTHING, message: changed };
  const isWaiting = !message.is_answered && !message.is_sign && message.is_answer_pending;
  const turn: TurnEffect = !isWaiting
    ? { kind: 'none' }
    : message.others_wait
      ? beginTurn(message)
      : { kind: 'void', quiet: 'deleted' };
  return { ...NOTHING, message: changed, turn, isSignOfLife: true };
}

function decideEdit(change: Change, message: ChangedMessage): ChangeDecision {
  const changed = editedColumns(change, message);
  if (changed === null) return NOTHING;
  if (message.side === 'bot') return { ...NOTHING, message: changed };
  const seen = { ...NOTHING, message: changed, isSignOfLife: true };
  if (changed.message === message.message || message.deleted_at !== null) return seen;
  if (!changesMeaning(message.message, changed.message)) return seen;
  const wish = recogniseOptOut(changed.message);
  const isAlive = { ...seen, isDoubtful: wish === 'doubtful' };
  if (wish === 'certain')
    return { ...isAlive, lead: 'opt_out', turn: { kind: 'begin', isAnswered: false, noAnswer: null } };
  const { recent, kind, age_ms: ageMs } = message;
  const meaning = meaningOf({ kind, text: changed.message, at: Date.parse(change.at) - ageMs, ageMs, recent });
  const isTurn = meaning.kind === 'turn';
  if (message.is_answered && !message.is_last) return isAlive;
  const restated = { ...changed, is_sign: !isTurn, isRestated: isTurn && message.is_answered };
  if (isTurn && isFinalStage(message.lead.stage) && message.owner === 'bot')
    return { ...isAlive, message: restated, lead: { code: 'writes_again' } };
  if (isTurn) return { ...isAlive, message: restated, turn: beginTurn(message) };
  if (message.is_answered || message.is_sign || !message.is_answer_pending) return { ...isAlive, message: restated };
  const turn: TurnEffect = message.others_wait ? beginTurn(message) : { kind: 'void', quiet: 'closing' };
  return { ...isAlive, message: restated, turn };
}

function beginTurn({ lead, owner, is_product_active: isProductActive }: ChangedMessage): TurnEffect {
  const blocked = botBlockReason({ lead, isProductActive, owner }, 'answer');
  return { kind: 'begin', isAnswered: blocked === null, noAnswer: noAnswerWhenBlocked(blocked) };
}

/** Return a message's columns after an edit; null if it says nothing new. */
function editedColumns(change: Change, message: ChangedMessage): ChangeDecision['message'] {
  const { text, textBefore, at } = change;
  const stored = storedColumns(message);
  if (text === null || text.trim() === '' || text === message.message)
    return message.edited_at === null ? { ...stored, edited_at: at } : null;
  if (isOvertaken(change, message)) return null;
  const earlier = [...message.earlier_texts, { text: message.message, replaced_at: at }];
  // Hooks may be lost: the words in between are known from the next edit alone.
  if (textBefore !== null && textBefore.trim() !== '' && !earlier.some((one) => one.text === textBefore))
    earlier.push({ text: textBefore, replaced_at: at });
  const isLong = earlier.length > MAX_EARLIER_TEXTS;
  const earlier_texts = isLong ? [...earlier.slice(0, 1), ...earlier.slice(1 - MAX_EARLIER_TEXTS)] : earlier;
  return { ...stored, message: text, earlier_texts, edited_at: at };
}

/**
 * Whether a later edit was applied before this one: its words are known to be older ones, and do not follow those that
 * the message has; or its time is earlier.
 */
function isOvertaken(
  { text, textBefore, at, isTimed }: Change,
  { message, edited_at: editedAt, earlier_texts: earlier }: ChangedMessage,
): boolean {
  if (editedAt === null) return false;
  if (textBefore !== null && textBefore !== message && earlier.some((one) => one.text === text)) return true;
  return isTimed && Date.parse(at) < Date.parse(editedAt);
}
