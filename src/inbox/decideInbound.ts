/** Decides what leads' messages mean: which are stored, what they start, and what they stop. Pure. */

import { addressesOf, type NotPerson } from '../channels/chats.ts';
import type { HookItem } from '../channels/driver.ts';
import { type Meaning, meaningOf, RECENT_LIMIT } from '../conversations/inboundMeaning.ts';
import { displayText } from '../conversations/message.ts';
import { type NoAnswer, noAnswerWhenBlocked } from '../conversations/noAnswer.ts';
import type { RecentMessage } from '../conversations/robots.ts';
import type { ItemNote } from '../conversations/store/tables.ts';
import { previewOf } from '../engine/preview.ts';
import type { Delivery } from '../engine/rules/message.ts';
import type { Wrote } from '../engine/rules/turn.ts';
import { isPointless } from '../engine/rules/waiting.ts';
import type { Stage } from '../leads/contract.ts';
import { type BlockReason, botBlockReason, type HandOver, isFinalStage, stageAfterInbound } from '../leads/lead.ts';
import { recogniseOptOut } from '../leads/optOut.ts';
import { adoptableReasons } from './ignoredContract.ts';
import type { ChatFacts, DialogueChange, InboundChanges, InboundMessage, ItemFacts } from './store/chats.ts';

/** What the messages do to leads, in their order. */
export type LeadChange =
  | { readonly kind: 'opt_out' | 'doubt'; readonly leadId: number; readonly dialogueId: number; readonly item: number }
  | {
      readonly kind: 'hand_over';
      readonly dialogueId: number;
      readonly productId: number;
      readonly reason: HandOver;
    }
  | { readonly kind: 'stage'; readonly leadId: number; readonly stage: Stage };

export interface InboundDecision extends InboundChanges {
  readonly leads: readonly LeadChange[];
  /** Whether each stored message will be answered, by item. */
  readonly answered: ReadonlyMap<number, boolean>;
}

/** What deciding about an item needs. */
type InboundFacts = Pick<
  ItemFacts,
  'id' | 'item' | 'ext_id' | 'channel_id' | 'chat_id' | 'received_at' | 'trace' | 'is_known'
> & {
  readonly chat: ChatFacts | null;
  readonly channel: { readonly id: number; readonly number?: string | null } | null;
};

/** A fact that changes as the items are gone through. */
type Changing<T> = { -readonly [Key in keyof T]: T[Key] };

/** Decide about leads' messages, in their order. Chats of one lead share the lead's state. */
export function decideInbound(
  items: readonly InboundFacts[],
  { debounceSeconds }: { debounceSeconds: number },
): InboundDecision {
  const messages: InboundMessage[] = [];
  const notes: { item: number; note: ItemNote | null }[] = [];
  const leadChanges: LeadChange[] = [];
  const dialogueChanges = new Map<number, Changing<DialogueChange>>();
  const answered = new Map<number, boolean>();
  const leads = new Map<number, Changing<ChatFacts['lead']>>();
  const owners = new Map<number, 'bot' | 'human'>();
  const recents = new Map<number, RecentMessage[]>();

  for (const facts of items) {
    const item = facts.item as HookItem;
    const { chat, channel } = facts;
    const text = displayText(item);
    const ignored = reasonToIgnore(facts, text);
    if (ignored !== null || !chat || !channel) {
      notes.push({ item: facts.id, note: ignored });
      continue;
    }
    const { dialogue, is_product_active: isProductActive } = chat;
    const lead = leads.get(chat.lead.id) ?? { ...chat.lead };
    leads.set(lead.id, lead);
    const owner = owners.get(dialogue.id) ?? dialogue.owner;
    const at = earlierOf(item.occurredAt, facts.received_at);
    const recent = recents.get(dialogue.id) ?? [...chat.recent];
    recents.set(dialogue.id, recent);
    const meaning = readMeaning(recent, { kind: item.mediaKind, text, at, received: facts.received_at });
    messages.push(messageOf(facts, { dialogue, channelId: channel.id, text, at, meaning }));
    notes.push({ item: facts.id, note: null });
    // What starts no turn leaves earlier questions to be answered.
    const isNotice = meaning.kind === 'notice';
    const isQuiet = meaning.kind === 'quiet';
    const isTurn = meaning.kind === 'turn';
    let blocked: BlockReason | null | undefined;
    const { hasLeft, changes } = optOutOf({ text: isNotice ? '' : text, lead, dialogue, item: facts.id });
    leadChanges.push(...changes);
    if (!isNotice) {
      if (hasLeft) {
        lead.is_active = false;
        lead.recognized_deactivation_request = true;
      } else if (isFinalStage(lead.stage) && owner === 'bot' && !isQuiet) {
        leadChanges.push(handOverOf(dialogue, { code: 'writes_again' }));
        owners.set(dialogue.id, 'human');
      } else {
        const stage = stageAfterInbound(lead.stage);
        if (stage !== lead.stage) leadChanges.push({ kind: 'stage', leadId: lead.id, stage });
        lead.stage = stage;
        blocked = botBlockReason({ lead, isProductActive, owner }, 'answer');
      }
      if (meaning.kind === 'robot' && blocked === null) {
        leadChanges.push(handOverOf(dialogue, { code: 'robot', isOpen: true }));
        owners.set(dialogue.id, 'human');
        blocked = undefined;
      }
    }
    answered.set(facts.id, isTurn && blocked === null);
    const before = dialogueChanges.get(dialogue.id);
    dialogueChanges.set(dialogue.id, {
      id: dialogue.id,
      turns: (before?.turns ?? 0) + (isTurn ? 1 : 0),
      ...answerColumns({ before, blocked, meaning, answerAfter: blocked === null ? debounceSeconds : null }),
      quiet_reason: isTurn ? null : ((isQuiet ? meaning.reason : null) ?? before?.quiet_reason ?? null),
      ...(isNotice || (before?.user_at != null && before.user_at > at)
        ? { user_item: before?.user_item ?? null, user_at: before?.user_at ?? null }
        : { user_item: facts.id, user_at: at }),
      ...(before && before.preview_at > at
        ? { preview: before.preview, preview_at: before.preview_at }
        : { preview: previewOf(text), preview_at: at }),
      is_sign: (before?.is_sign ?? false) || !(isNotice || isTurn),
      waits: !hasLeft && (isTurn || meaning.kind === 'unseen' || (before?.waits ?? false)),
    });
  }
  return { messages, dialogues: [...dialogueChanges.values()], notes, leads: leadChanges, answered };
}

/** What a text changes that asks for no more messages, or may. */
function optOutOf({
  text,
  lead,
  dialogue,
  item,
}: Pick<ChatFacts, 'lead' | 'dialogue'> & { text: string; item: number }): { hasLeft: boolean; changes: LeadChange[] } {
  const found = recogniseOptOut(text);
  const about = { leadId: lead.id, dialogueId: dialogue.id, item };
  const kind = found === 'certain' ? 'opt_out' : 'doubt';
  return { hasLeft: found === 'certain', changes: found === 'none' ? [] : [{ kind, ...about }] };
}

/** Return why an item is not a message to be stored; null if it is. */
function reasonToIgnore(
  { item, channel, channel_id: channelId, chat_id: chatId, chat, is_known: isKnown }: InboundFacts,
  text: string,
): ItemNote | null {
  if (channelId === null || chatId === null) return 'no_chat';
  const notPerson = findNotPerson(item as HookItem, channel?.number ?? null);
  // An operator has made a lead of it.
  const isAdopted = chat && adoptableReasons.some((one) => one === notPerson);
  if (notPerson !== null && !isAdopted) return notPerson;
  if (text === '') return 'no_text';
  if (!channel) return 'channel_deleted';
  if (isKnown) return 'duplicate';
  return chat ? null : 'no_product';
}

/** Return why the chat of an item is not surely one person's; null if it is. `number`: the channel's own. */
export function findNotPerson({ notPerson, addresses = [] }: HookItem, number: string | null): NotPerson | null {
  if (notPerson) return notPerson;
  const own =
    number === null ? [] : addressesOf(number.replace(/^\+?[\d\s().-]+$/, (phone) => phone.replace(/\D/g, '')));
  return addresses.some((one) => own.includes(one)) ? 'own_number' : null;
}

/** Return what a message means, and add it to those that were read before. */
function readMeaning(
  recent: RecentMessage[],
  { kind, text, at, received }: { kind: string; text: string; at: string; received: string },
): Meaning {
  const written = { kind, text, at: Date.parse(at) };
  const ageMs = Date.parse(received) - written.at;
  const meaning = meaningOf({ ...written, ageMs, recent: recent.filter((one) => one.at <= written.at) });
  if (meaning.kind !== 'notice') recent.push({ side: 'user', ...written });
  if (recent.length > RECENT_LIMIT) recent.shift();
  return meaning;
}

/** Build the row of a message. */
function messageOf(
  facts: InboundFacts,
  of: { dialogue: ChatFacts['dialogue']; channelId: number; text: string; at: string; meaning: Meaning },
): InboundMessage {
  const item = facts.item as HookItem;
  const { dialogue, channelId, text, at, meaning } = of;
  return {
    item: facts.id,
    product_id: dialogue.product_id,
    contact_id: dialogue.contact_id,
    dialogue_id: dialogue.id,
    channel_id: channelId,
    message: text,
    kind: item.mediaKind,
    media_url: item.mediaUrl,
    ext_id: facts.ext_id,
    at,
    trace: facts.trace,
    is_sign: meaning.kind !== 'notice' && meaning.kind !== 'turn',
    refers_to_ext_id: item.refersTo ?? null,
    edited_at: item.textBefore === undefined ? null : at,
    earlier_texts: item.textBefore ? [{ text: item.textBefore, replaced_at: at }] : [],
  };
}

type AnswerColumns = Pick<DialogueChange, 'turns' | 'answer_after' | 'no_answer' | 'no_answer_detail'>;

/**
 * When the last turn is answered, or why it is not. What starts no turn changes nothing of one; alone, nobody answers it,
 * and people must see that, unless there is nothing to answer.
 */
function answerColumns(message: {
  readonly before: AnswerColumns | undefined;
  /** Undefined: the bot has nothing to answer. */
  readonly blocked: BlockReason | null | undefined;
  readonly meaning: Meaning;
  readonly answerAfter: number | null;
}): Omit<AnswerColumns, 'turns'> {
  const { before, blocked, meaning, answerAfter } = message;
  const isTurn = meaning.kind === 'turn';
  if (!isTurn && (before?.turns || meaning.kind !== 'unseen' || blocked === undefined))
    return {
      answer_after: before?.answer_after ?? null,
      no_answer: before?.no_answer ?? null,
      no_answer_detail: before?.no_answer_detail ?? null,
    };
  const noAnswer: NoAnswer | null =
    meaning.kind === 'unseen' && blocked === null ? { code: meaning.code } : noAnswerWhenBlocked(blocked ?? null);
  return {
    answer_after: isTurn ? answerAfter : null,
    no_answer: noAnswer?.code ?? null,
    no_answer_detail: noAnswer && 'detail' in noAnswer ? noAnswer.detail : null,
  };
}

const handOverOf = ({ id, product_id }: ChatFacts['dialogue'], reason: HandOver): LeadChange => ({
  kind: 'hand_over',
  dialogueId: id,
  productId: product_id,
  reason,
});

const earlierOf = (vendor: string | null, received: string): string =>
  vendor !== null && vendor < received ? vendor : received;

/** Return what the messages of a dialogue are to it. `stored`: the ids of the messages, by item. */
export function wroteOf(change: DialogueChange, stored: ReadonlyMap<number, number>): Wrote {
  const { user_item: item, user_at: at, no_answer: code } = change;
  const message = item === null ? undefined : stored.get(item);
  return {
    kind: 'wrote',
    latest: message === undefined || at === null ? null : { message, at: Date.parse(at) },
    preview: { text: change.preview, at: Date.parse(change.preview_at) },
    turns: change.turns,
    answerSeconds: change.answer_after,
    noAnswer: code === null ? null : { code, detail: change.no_answer_detail },
    quiet: change.quiet_reason,
    waits: change.waits,
  };
}

/** Whether a message of ours that waits is stale after what the lead wrote. `turn`: the dialogue's after it. */
export const isStaleAfter = (
  { turns, is_sign: isSign }: Pick<DialogueChange, 'turns' | 'is_sign'>,
  message: Delivery,
  turn: number,
): boolean =>
  (turns > 0 && isPointless(message, { kind: 'answers', before: turn })) ||
  (isSign && isPointless(message, { kind: 'follow_ups' }));
