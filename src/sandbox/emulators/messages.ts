/** A message as a phone shows it, from the journal's entry about it. */
import type { PhoneMessage } from './contract.ts';
import type { EntryDraft } from './entries.ts';

export type SentDraft = EntryDraft & { kind: 'reached' | 'undeliverable' };
export type TypedDraft = EntryDraft & { kind: 'inbound' | 'typed' };

/** @param at when it was sent; what was written on a phone has its own time */
export function messageOf(entry: SentDraft | TypedDraft, at: string): PhoneMessage {
  const { account, channelId, chatId, chatType, messageId, text, contentUri } = entry;
  const common = { account, channelId, chatId, chatType, messageId, text, contentUri, edited: false, deleted: false };
  if (entry.kind === 'inbound' || entry.kind === 'typed') {
    const { type, writtenAt } = entry;
    const isLead = entry.kind === 'inbound';
    return {
      ...common,
      author: isLead ? 'lead' : 'operator',
      type,
      at: writtenAt,
      status: isLead ? 'inbound' : 'sent',
    };
  }
  const { crmMessageId, callbackUrl } = entry;
  const type = contentUri === undefined ? 'text' : 'document';
  const error = entry.kind === 'undeliverable' ? entry.code : undefined;
  return { ...common, author: 'api', type, at, status: 'accepted', error, crmMessageId, callbackUrl };
}
