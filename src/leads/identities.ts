/** Identities by which a person is recognised in another lead, product or import of the same company. */
import { personKey } from './address.ts';
import type { ContactType } from './contract.ts';

/** What identifies the people behind leads, as it is stored. */
export interface StoredIdentity {
  /** An address of a contact or dialogue; `id:` and the chat id for one whose number is hidden. */
  readonly address: string;
  readonly type: ContactType;
}

const HIDDEN = 'id:';

/**
 * Return the identity behind an address: the same in every messenger and for every spelling of a number. The messenger's
 * own id of a chat is an identity of that messenger only.
 */
export function identityOfAddress({ address, type }: StoredIdentity): string {
  if (address.startsWith(HIDDEN)) return identityOfChat({ chatId: address.slice(HIDDEN.length), type });
  return `person ${personKey(address)}`;
}

/** Return the identity behind a messenger's chat id. In WhatsApp an id of digits is the person's number. */
export function identityOfChat({ chatId, type }: { readonly chatId: string; readonly type: ContactType }): string {
  if (type === 'whatsapp' && /^\d+$/.test(chatId)) return identityOfAddress({ address: chatId, type });
  return `chat ${type} ${chatId}`;
}
