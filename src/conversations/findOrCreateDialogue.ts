/** Finds the dialogue of a chat, or creates it. */
import { type ChannelRow } from '../channels/store.ts';
import type { Tx } from '../platform/db.ts';
import { type ChatDecision, decideDialogue, isOtherAccount, type NamedChat } from './dialogueOfChat.ts';
import {
  findChatCandidates,
  findContactByAddress,
  findDialoguesByAddress,
  type LinkEvidence,
  linkDialogues,
  readChats,
  recordChats,
} from './store/chats.ts';
import { findDialogue, insertDialogue, lockDialogue, lockLeadsAndDialogues } from './store/dialogues.ts';
import type { DialogueRow } from './store/tables.ts';

type Channel = Pick<ChannelRow, 'id' | 'channel_type'>;

interface ChatOnChannel {
  readonly channel: Channel;
  readonly chat: NamedChat;
}

/**
 * Return the dialogue of a chat, locked, or null if it has none. Its ids are recorded: `message` of the other party, or
 * another report, which does not change where answers go.
 */
export async function findDialogueOfChat(
  tx: Tx,
  { channel, chat, evidence }: ChatOnChannel & { readonly evidence: LinkEvidence },
): Promise<DialogueRow | null> {
  const { decision, dialogue } = await lockDialogueOfChat(tx, { channel, chat });
  if (dialogue) await recordDecision(tx, { channel, chat, evidence, decision, id: dialogue.id });
  return dialogue;
}

/** Decide about a chat, and lock its dialogue. What was decided about may have changed while the lock was waited for. */
async function lockDialogueOfChat(
  tx: Tx,
  { channel, chat }: ChatOnChannel,
): Promise<{ decision: ChatDecision; dialogue: DialogueRow | null }> {
  for (;;) {
    const decision = await decide(tx, { channel, chat });
    if (decision.dialogueId === null) return { decision, dialogue: null };
    const { leadId, id } = decision;
    await lockLeadsAndDialogues(tx, { leadIds: [leadId], dialogueIds: [id], skipsLocked: false });
    const again = await decide(tx, { channel, chat });
    if (again.dialogueId !== id) continue;
    return { decision: again, dialogue: (await findDialogue(tx, id)) ?? null };
  }
}

async function decide(
  tx: Tx,
  { channel, chat }: ChatOnChannel,
): Promise<ChatDecision & ({ dialogueId: null } | { dialogueId: number; id: number; leadId: number })> {
  const candidates = await findChatCandidates(tx, {
    channelId: channel.id,
    chatIds: [chat.chatId, ...chat.sameAs, ...chat.variants],
    addresses: chat.addresses,
  });
  const decision = decideDialogue(channel.channel_type, chat, candidates);
  const found = candidates.find(({ id }) => id === decision.dialogueId);
  return found
    ? { ...decision, dialogueId: found.id, id: found.id, leadId: found.lead_id }
    : { ...decision, dialogueId: null };
}

async function recordDecision(
  tx: Tx,
  {
    channel,
    chat,
    evidence,
    decision,
    id,
  }: ChatOnChannel & { readonly evidence: LinkEvidence; readonly decision: ChatDecision; readonly id: number },
): Promise<void> {
  const { taken, samePerson } = decision;
  const answersTo = evidence === 'message' ? chat.chatId : null;
  await recordChats(tx, { id, channelId: channel.id, chatIds: [chat.chatId, ...chat.sameAs], taken, answersTo });
  for (const { dialogueId, chatId: detail } of samePerson)
    await linkDialogues(tx, { dialogueId, otherId: id, kind: 'same_person', evidence, detail });
}

/** Record the ids under which the messenger knows the chat of a dialogue, as a report about one of our messages names it. */
export async function recordReportedChat(
  tx: Tx,
  {
    id,
    channel,
    chat,
    evidence,
  }: { readonly id: number; readonly channel: Channel; readonly chat: NamedChat; readonly evidence: LinkEvidence },
): Promise<void> {
  const { channel_type: type, id: channelId } = channel;
  const chatIds = [chat.chatId, ...chat.sameAs];
  // The address that it was sent to is another account's now: whoever answers has a dialogue of his own.
  if (isOtherAccount(type, chatIds, await readChats(tx, id))) return;
  const candidates = await findChatCandidates(tx, { channelId, chatIds, addresses: [] });
  const others = candidates.filter((one) => one.id !== id);
  const { taken, samePerson, dialogueId } = decideDialogue(type, { ...chat, variants: [], addresses: [] }, others);
  await recordChats(tx, { id, channelId, chatIds, taken, answersTo: null });
  const links = dialogueId === null ? samePerson : [{ dialogueId, chatId: chat.chatId }, ...samePerson];
  for (const { dialogueId: otherId, chatId: detail } of links)
    await linkDialogues(tx, { dialogueId: id, otherId, kind: 'same_person', evidence, detail });
}

/** The dialogue of a chat, or whom it belonged to before. */
export interface FoundChat {
  readonly dialogue: DialogueRow | null;
  /** Dialogues that have had an address of the chat: it is another chat's now. */
  readonly previous: readonly { readonly id: number; readonly address: string }[];
}

/**
 * Return the existing dialogue of a chat, locked, or a new one with a known contact who has no chat on the channel yet; else
 * null, and who has had the chat's address before. The addresses of the chat must be locked.
 */
export async function findOrCreateDialogue(
  tx: Tx,
  { channel, chat, evidence }: ChatOnChannel & { readonly evidence: LinkEvidence },
): Promise<FoundChat> {
  const existing = await findDialogueOfChat(tx, { channel, chat, evidence });
  if (existing) return { dialogue: existing, previous: [] };
  const previous = await findDialoguesByAddress(tx, {
    channelId: channel.id,
    type: channel.channel_type,
    addresses: chat.addresses,
  });
  const contact = await findContactByAddress(tx, {
    channelId: channel.id,
    type: channel.channel_type,
    addresses: chat.addresses,
    ...accountsOf(channel, chat),
  });
  if (!contact) return { dialogue: null, previous };
  const { product_id: productId, contact_id: contactId, address } = contact;
  const dialogue = await createDialogue(tx, { channel, chat, evidence, productId, contactId, address });
  return { dialogue, previous: [] };
}

/** Create the dialogue of a chat, and lock it. */
export async function createDialogue(
  tx: Tx,
  {
    channel,
    chat,
    evidence,
    productId,
    contactId,
    address,
  }: ChatOnChannel & {
    readonly evidence: LinkEvidence;
    readonly productId: number;
    readonly contactId: number;
    readonly address: string;
  },
): Promise<DialogueRow> {
  const decision = await decide(tx, { channel, chat });
  const id = await insertDialogue(tx, {
    productId,
    contactId,
    channelId: channel.id,
    chatId: chat.chatId,
    address,
  });
  await recordDecision(tx, { channel, chat, evidence, decision, id });
  const dialogue = await lockDialogue(tx, id);
  if (!dialogue) throw new Error(`Dialogue ${id} vanished`);
  return dialogue;
}

/** Which chat ids on other channels are those of a person's account in this messenger. */
function accountsOf(
  { channel_type: type }: Channel,
  { chatId, sameAs }: NamedChat,
): { accountPattern: string | null; accounts: string[] } {
  if (type === 'telegram') return { accountPattern: '', accounts: [chatId] };
  const lids = [chatId, ...sameAs].filter((one) => one.endsWith('@lid'));
  return { accountPattern: lids.length > 0 ? '@lid$' : null, accounts: lids };
}
