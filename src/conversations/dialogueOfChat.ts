/** Decides which dialogue a chat belongs to. Pure. */
import { accountIdKind } from '../channels/chats.ts';
import type { ChannelType } from '../channels/contract.ts';

/** A chat as a hook names it. */
export interface NamedChat {
  readonly chatId: string;
  /** Other ids that the hook proves to be the same chat. */
  readonly sameAs: readonly string[];
  /** National variants of its phone number. */
  readonly variants: readonly string[];
  /** Addresses of the other party, normalised, the preferred one first. */
  readonly addresses: readonly string[];
}

interface Candidate {
  readonly id: number;
  readonly address: string;
  /** Every chat id that it is known by. */
  readonly chats: readonly string[];
}

export interface ChatDecision {
  /** The dialogue of the chat; null: it has none. */
  readonly dialogueId: number | null;
  /** Ids of the chat that other dialogues lose: their account is another one. */
  readonly taken: readonly string[];
  /** Other dialogues that the hook proves to be with the same person, and by which id. */
  readonly samePerson: readonly { readonly dialogueId: number; readonly chatId: string }[];
}

/**
 * Decide which of the candidates is the dialogue of a chat: the one with its id; else the one with another id of the same
 * chat, or with the phone number in another national form; else one that has no chat id yet and the address. One that is
 * known by a phone number alone is not: the number may be another account's now.
 */
export function decideDialogue(
  type: ChannelType,
  { chatId, sameAs, variants, addresses }: NamedChat,
  candidates: readonly Candidate[],
): ChatDecision {
  const ids = [chatId, ...sameAs];
  const holderOf = (id: string) => candidates.find(({ chats }) => chats.includes(id));
  const holders = [...ids, ...variants].flatMap((id) => {
    const holder = holderOf(id);
    if (!holder) return [];
    return [{ id, holder, isOwn: accountIdKind(type, id) !== null || !isOtherAccount(type, ids, holder.chats) }];
  });
  const existing = holders.find(({ isOwn }) => isOwn)?.holder;
  const dialogue = existing ?? findByAddress(candidates, addresses);
  const others = holders.filter(({ id, holder }) => ids.includes(id) && holder.id !== dialogue?.id);
  return {
    dialogueId: dialogue?.id ?? null,
    taken: others.filter(({ isOwn }) => !isOwn).map(({ id }) => id),
    samePerson: others.filter(({ isOwn }) => isOwn).map(({ id, holder }) => ({ dialogueId: holder.id, chatId: id })),
  };
}

function findByAddress(candidates: readonly Candidate[], addresses: readonly string[]): Candidate | undefined {
  const withoutChat = candidates.filter(({ chats }) => chats.length === 0);
  for (const address of addresses) {
    const found = withoutChat.find((one) => one.address === address);
    if (found) return found;
  }
  return undefined;
}

/**
 * Whether ids of a chat are another account's than those that a dialogue is known by: both have one of a kind of which an
 * account has only one, and these differ.
 */
export function isOtherAccount(type: ChannelType, ids: readonly string[], chats: readonly string[]): boolean {
  return ids.some((id) => {
    const kind = accountIdKind(type, id);
    return kind !== null && !chats.includes(id) && chats.some((one) => accountIdKind(type, one) === kind);
  });
}
