/** The wire shapes of Wazzup24's hooks and refusals (fact sheet, sections 4 to 6). */
import { randomUUID } from 'node:crypto';
import { isDigits } from '../addresses.ts';
import type { PhoneMessage } from '../contract.ts';
import type { Refusal } from '../messengerCalls.ts';

/** Build a `messages[]` item about a message that the lead wrote. */
export function inboundItem(
  message: PhoneMessage,
  address: string,
  name: string,
  hidden = false,
): Record<string, unknown> {
  return { ...commonItem(message, hidden ? '' : address, name), isEcho: false, status: 'inbound' };
}

/** Build a `messages[]` item about an outbound message, no matter who sent it. */
export function outgoingItem(
  message: PhoneMessage,
  address: string,
  name: string,
  flags: { isEcho: boolean; sentFromApp?: boolean | undefined; authorName?: string | undefined },
): Record<string, unknown> {
  const author = flags.authorName === undefined ? {} : { authorId: 'sandbox-author' };
  return { ...commonItem(message, address, name), status: 'sent', ...flags, ...author };
}

function commonItem(message: PhoneMessage, address: string, name: string): Record<string, unknown> {
  const { messageId, channelId, chatType, chatId, at: dateTime, type, text, contentUri } = message;
  const visible = isDigits(address) ? { phone: address } : address === '' ? {} : { username: address };
  // WhatsApp's chat id is the number, unless it hides that.
  const contact = { name, ...(chatType.startsWith('tele') || chatId.endsWith('@lid') ? visible : {}) };
  return { messageId, channelId, chatType, chatId, dateTime, type, text, contentUri, contact };
}

/** Build the error body of a send: status, request id, code, description, and the code's data. */
export function refusal(code: string, description: string, data?: Record<string, unknown>, status = 400): Refusal {
  return { status, code, body: { status, requestId: randomUUID(), error: code, description, data } };
}
