/** Whose chat a vendor's hook is about: what its messages, and reports on ours, say of chat, person and address. */

import chatpushHooks from '../../channels/chatpush/hooks.corpus.json' with { type: 'json' };
import { parseHook as parseChatpush } from '../../channels/chatpush/hooks.ts';
import type { HookItem } from '../../channels/driver.ts';
import wazzupHooks from '../../channels/wazzup24/hooks.corpus.json' with { type: 'json' };
import { parseHook as parseWazzup } from '../../channels/wazzup24/hooks.ts';
import { type CorpusFile, corpusOf } from './corpus.ts';

interface HookCase {
  readonly kind: string;
  readonly hook: object;
  readonly becomes: {
    /** Why the item is ignored; absent: it is of one person's chat, which the others describe. */
    readonly ignored?: string;
    readonly chat?: string;
    readonly address?: string;
    readonly otherAddress?: string;
    readonly sameAs?: readonly string[];
    readonly variants?: readonly string[];
  };
}

const hooks = (name: string, file: CorpusFile<HookCase>, parseHook: (body: unknown) => HookItem[]) =>
  corpusOf(name, file, ({ hook, becomes }) => ({
    input: JSON.stringify(hook),
    expected: toText(becomes),
    actual: parseHook(hook).map(describe).join(' and ') || 'nothing',
  }));

function describe({ chatId, notPerson, address, otherAddress, sameAs = [], variants = [] }: HookItem): string {
  if (notPerson !== null) return toText({ ignored: notPerson });
  if (chatId === null) return toText({ ignored: 'no_chat' });
  return toText({
    chat: chatId,
    address: address ?? 'none',
    ...(otherAddress ? { otherAddress } : {}),
    sameAs,
    variants,
  });
}

function toText({ ignored, chat, address, otherAddress, sameAs = [], variants = [] }: HookCase['becomes']): string {
  if (ignored !== undefined) return `ignored: ${ignored}`;
  const others = [
    otherAddress ? [`also ${otherAddress}`] : [],
    sameAs.map((id) => `same as ${id}`),
    variants.map((id) => `or ${id}`),
  ];
  return [`chat ${chat}`, `address ${address}`, ...others.flat()].join(', ');
}

export const HOOKS = [
  hooks('hooks of Wazzup24', wazzupHooks, parseWazzup),
  hooks('hooks of ChatPush', chatpushHooks, parseChatpush),
];
