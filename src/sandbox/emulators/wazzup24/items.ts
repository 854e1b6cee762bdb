/** The wire shapes of Wazzup24's hooks and refusals (fact sheet, sections 4 to 6). */
import { randomUUID } from 'node:crypto';
import { isDigits } from '../addresses.ts';
import type { PhoneMessage } from '../contract.ts';

/** Build a `messages[]` item about a message that the lead wrote. */
export function inboundItem(message: PhoneMessage, address: string, name: string): Record<string, unknown> {
  return { ...commonItem(message, address, name), isEcho: false, status: 'inbound' };
}

/** Build a `messages[]` item about an outbound message, no matter who sent it. */
export function outgoingItem(
  message: PhoneMessage,
  address: string,
  name: string,
  flags: { isEcho: boolean; sentFromApp?: boolean | undefined; authorName?: string | undefined },
): Record<string, unknown> {
  return {
    ...commonItem(message, address, name),
    isEcho: flags.isEcho,
    status: 'sent',
    ...(flags.sentFromApp === true ? { sentFromApp: true } : {}),
    ...(flags.authorName === undefined ? {} : { authorName: flags.authorName, authorId: 'sandbox-author' }),
  };
}

function commonItem(message: PhoneMessage, address: string, name: string): Record<string, unknown> {
  return {
    messageId: message.messageId,
    channelId: message.channelId,
    chatType: message.chatType,
    chatId: message.chatId,
    dateTime: message.at,
    type: message.type,
    contact: contact(message.chatType, address, name),
    ...(message.text === undefined ? {} : { text: message.text }),
    ...(message.contentUri === undefined ? {} : { contentUri: message.contentUri }),
  };
}

function contact(chatType: string, address: string, name: string): Record<string, string> {
  if (!chatType.startsWith('tele')) return { name };
  return isDigits(address) ? { name, phone: address } : { name, username: address };
}

export interface Refusal {
  status: number;
  code: string;
  body: Record<string, unknown>;
}

/** Build the error body of a send: status, request id, code, description, and the code's data. */
export function refusal(code: string, description: string, data?: Record<string, unknown>, status = 400): Refusal {
  const body = { status, requestId: randomUUID(), error: code, description, ...(data === undefined ? {} : { data }) };
  return { status, code, body };
}
