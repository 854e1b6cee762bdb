/** Decides what leads' messages mean: which are stored, what they start, and what they stop. Pure. */

import type { HookItem } from '../channels/driver.ts';
import { displayText, previewOf, SYSTEM_NOTICE } from '../conversations/message.ts';
import { type NoAnswer, noAnswerWhenBlocked, type SilentCode } from '../conversations/noAnswer.ts';
import type { ItemNote } from '../conversations/store/tables.ts';
import type { Stage } from '../leads/contract.ts';
import { type BlockReason, botBlockReason, isFinalStage, stageAfterInbound } from '../leads/lead.ts';
import { isOptOut } from '../leads/optOut.ts';
import type { ChatFacts, DialogueChange, InboundChanges, InboundMessage, ItemFacts } from './store/chats.ts';

/** Messages that were older than this when we received them, by the vendor's time, are stored and not answered. */
const MAX_AGE_MS = 24 * 3600 * 1000;

/** What the messages do to leads, in their order. */
export type LeadChange =
  | { readonly kind: 'opt_out'; readonly leadId: number }
  | { readonly kind: 'hand_over'; readonly dialogueId: number; readonly productId: number }
  | { readonly kind: 'stage'; readonly leadId: number; readonly stage: Stage };

export interface InboundDecision extends InboundChanges {
  readonly leads: readonly LeadChange[];
  /** Whether each stored message will be answered, by item. */
  readonly answered: ReadonlyMap<number, boolean>;
}

/** What deciding about an item needs. */
type InboundFacts = Pick<
  ItemFacts,
  'id' | 'item' | 'ext_id' | 'channel_id' | 'chat_id' | 'received_at' | 'trace' | 'is_known' | 'chat'
> & { readonly channel: { readonly id: number } | null };

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
    messages.push({
      item: facts.id,
      product_id: dialogue.product_id,
      contact_id: dialogue.contact_id,
      dialogue_id: dialogue.id,
      channel_id: channel.id,
      message: text,
      kind: item.mediaKind,
      media_url: item.mediaUrl,
      ext_id: facts.ext_id,
      at,
      trace: facts.trace,
    });
    notes.push({ item: facts.id, note: null });
    const isNotice = item.mediaKind === SYSTEM_NOTICE;
    // A notice was not written by the lead. What else starts no turn leaves earlier questions to be answered.
    const silence = isNotice ? null : silenceOf(item, Date.parse(facts.received_at) - Date.parse(at));
    const isTurn = !isNotice && silence === null;
    let blocked: BlockReason | null | undefined;
    const hasLeft = !isNotice && isOptOut(text);
    if (!isNotice) {
      if (hasLeft) {
        leadChanges.push({ kind: 'opt_out', leadId: lead.id });
        lead.is_active = false;
        lead.recognized_deactivation_request = true;
      } else if (isFinalStage(lead.stage) && owner === 'bot') {
        leadChanges.push({ kind: 'hand_over', dialogueId: dialogue.id, productId: dialogue.product_id });
        owners.set(dialogue.id, 'human');
      } else {
        const stage = stageAfterInbound(lead.stage);
        if (stage !== lead.stage) leadChanges.push({ kind: 'stage', leadId: lead.id, stage });
        lead.stage = stage;
        blocked = botBlockReason({ lead, isProductActive, owner }, 'answer');
      }
    }
    const mayAnswer = blocked === null;
    answered.set(facts.id, isTurn && mayAnswer);
    const before = dialogueChanges.get(dialogue.id);
    dialogueChanges.set(dialogue.id, {
      id: dialogue.id,
      turns: (before?.turns ?? 0) + (isTurn ? 1 : 0),
      ...answerColumns({ before, blocked, silence, isTurn, answerAfter: mayAnswer ? debounceSeconds : null }),
      ...(isNotice || (before?.user_at != null && before.user_at > at)
        ? { user_item: before?.user_item ?? null, user_at: before?.user_at ?? null }
        : { user_item: facts.id, user_at: at }),
      ...(before && before.preview_at > at
        ? { preview: before.preview, preview_at: before.preview_at }
        : { preview: previewOf(text), preview_at: at }),
      is_sign: (before?.is_sign ?? false) || !(isNotice || isTurn),
      waits: !hasLeft && (!isNotice || (before?.waits ?? false)),
    });
  }
  return { messages, dialogues: [...dialogueChanges.values()], notes, leads: leadChanges, answered };
}

/** Return why an item is not a message to be stored; null if it is. */
function reasonToIgnore(
  { item, channel, channel_id: channelId, chat_id: chatId, chat, is_known: isKnown }: InboundFacts,
  text: string,
): ItemNote | null {
  if (channelId === null || chatId === null) return 'no_chat';
  if ((item as HookItem).isGroup) return 'group';
  if (text === '') return 'no_text';
  if (!channel) return 'channel_deleted';
  if (isKnown) return 'duplicate';
  return chat ? null : 'no_product';
}

type AnswerColumns = Pick<DialogueChange, 'turns' | 'answer_after' | 'no_answer' | 'no_answer_detail'>;

/**
 * When the last turn is answered, or why it is not. What starts no turn changes nothing of one; alone, nobody answers it,
 * and people must see that.
 */
function answerColumns(message: {
  readonly before: AnswerColumns | undefined;
  /** Undefined: the bot has nothing to answer. */
  readonly blocked: BlockReason | null | undefined;
  readonly silence: SilentCode | null;
  readonly isTurn: boolean;
  readonly answerAfter: number | null;
}): Omit<AnswerColumns, 'turns'> {
  const { before, blocked, silence, isTurn, answerAfter } = message;
  if (!isTurn && (before?.turns || silence === null || blocked === undefined))
    return {
      answer_after: before?.answer_after ?? null,
      no_answer: before?.no_answer ?? null,
      no_answer_detail: before?.no_answer_detail ?? null,
    };
  const noAnswer: NoAnswer | null =
    silence !== null && blocked === null ? { code: silence } : noAnswerWhenBlocked(blocked ?? null);
  return {
    answer_after: isTurn ? answerAfter : null,
    no_answer: noAnswer?.code ?? null,
    no_answer_detail: noAnswer && 'detail' in noAnswer ? noAnswer.detail : null,
  };
}

/** Why a message of a lead starts no turn; null if it starts one. */
function silenceOf(
  { mediaKind, isSilent }: Pick<HookItem, 'mediaKind' | 'isSilent'>,
  ageMs: number,
): SilentCode | null {
  if (isSilent) return mediaKind === 'missing_call' ? 'call' : 'unreadable';
  return ageMs > MAX_AGE_MS ? 'late' : null;
}

const earlierOf = (vendor: string | null, received: string): string =>
  vendor !== null && vendor < received ? vendor : received;
