import type { HookItem } from '../channels/driver.ts';
import type { NamedChat } from '../conversations/dialogueOfChat.ts';

/** Return the chat that a stored item names. */
export const toNamedChat = (chatId: string, { sameAs, variants, addresses }: HookItem): NamedChat => ({
  chatId,
  sameAs: sameAs ?? [],
  variants: variants ?? [],
  addresses: addresses ?? [`id:${chatId}`],
});
