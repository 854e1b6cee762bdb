/** Messages of every kind as vendors report them: what they are, what they ask of us, and what the thread shows. */

import { parseHook as parseChatPush } from '../../channels/chatpush/hooks.ts';
import chatpush from '../../channels/chatpush/kinds.corpus.json' with { type: 'json' };
import type { HookItem } from '../../channels/driver.ts';
import { roleOf } from '../../channels/messageKindContract.ts';
import { parseHook as parseWazzup } from '../../channels/wazzup24/hooks.ts';
import wazzup from '../../channels/wazzup24/kinds.corpus.json' with { type: 'json' };
import { displayText } from '../../conversations/message.ts';
import { normalizeItem } from '../../inbox/ingest.ts';
import { type CorpusFile, corpusOf } from './corpus.ts';

interface HookCase {
  readonly kind: string;
  /** The event of ChatPush's hook; by default, that of a message. */
  readonly event?: string;
  /** The message of the hook, beside what all have: ids, chat, time and direction. */
  readonly message: object;
  readonly expected: string;
}

const wazzupFile: CorpusFile<HookCase> = wazzup;
const chatpushFile: CorpusFile<HookCase> = chatpush;

/** Describe what a hook brought: `message sticker sign: [sticker]`. */
function describe([raw]: readonly HookItem[]): string {
  if (!raw) return 'nothing';
  const item = normalizeItem(raw);
  if (item.kind === 'deletion') return 'deletion';
  const text = displayText(item);
  return `${item.kind} ${item.mediaKind} ${roleOf({ kind: item.mediaKind, text })}: ${text}`;
}

const wazzupHook = (message: object) => ({
  messages: [
    {
      messageId: '11111111-1111-4111-8111-111111111111',
      channelId: '22222222-2222-4222-8222-222222222222',
      chatType: 'whatsapp',
      chatId: '79990000002',
      dateTime: '2026-01-02T03:04:05.678Z',
      isEcho: false,
      status: 'inbound',
      ...message,
    },
  ],
});

const chatpushHook = (type: string, message: object) => ({
  type,
  payload: {
    customer_id: 10_001,
    new_message: {
      direction: 'incoming',
      chat_id: '79990000002@c.us',
      chat_phone: '79990000002',
      message: { id: 'false_79990000002@c.us_3AAAA', timestamp: 1_790_000_000, ...message },
    },
  },
});

export const WAZZUP_KINDS = corpusOf('kinds of Wazzup24', wazzupFile, ({ message, expected }) => ({
  input: JSON.stringify(message),
  expected,
  actual: describe(parseWazzup(wazzupHook(message))),
}));

export const CHATPUSH_KINDS = corpusOf('kinds of ChatPush', chatpushFile, ({ event, message, expected }) => ({
  input: JSON.stringify({ event, message }),
  expected,
  actual: describe(parseChatPush(chatpushHook(event ?? 'whatsapp_incoming_msg', message))),
}));
