/** The message: how it is cut, delayed and shown. Pure. */
import type { HookItem } from '../channels/driver.ts';

/** The kind of what the messenger itself says: a notice, nobody's words. */
export const SYSTEM_NOTICE = 'system';

/** What the thread shows: the text, or the kind of a medium that came without one. Empty: there is nothing to show. */
export function displayText(item: Pick<HookItem, 'text' | 'mediaKind'>): string {
  if (item.text.trim() !== '') return item.text;
  return item.mediaKind === 'text' ? '' : `[${item.mediaKind}]`;
}

/** First line of a message for lists, at most 140 characters. */
export function previewOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 140 ? `${line.slice(0, 139)}…` : line;
}

/**
 * Cuts a text into parts: on blank lines when `paragraphs`, and wherever a part is longer than the vendor takes, at the
 * last sentence end, else the last space, else hard. No part is blank, no character but white space is lost.
 */
export function splitText(text: string, limit: number, paragraphs: boolean): string[] {
  const blocks = paragraphs ? text.split(/\n[^\S\n]*\n\s*/) : [text];
  const parts: string[] = [];
  for (const block of blocks) {
    let remaining = block.trim();
    while (remaining.length > limit) {
      const cut = findCut(remaining, limit);
      parts.push(remaining.slice(0, cut).trimEnd());
      remaining = remaining.slice(cut).trimStart();
    }
    if (remaining !== '') parts.push(remaining);
  }
  return parts;
}

function findCut(text: string, limit: number): number {
  // One more than fits: white space there is cut away, so what ends exactly at the limit ends well.
  const head = text.slice(0, limit + 1);
  const sentence = Math.max(
    ...[...head.matchAll(/[.!?…][)"»”']*\s/g)].map((match) => match.index + match[0].length),
    0,
  );
  if (sentence > limit / 4) return sentence;
  const space = head.search(/\s\S*$/);
  if (space > limit / 4) return space + 1;
  // Never between the halves of a surrogate pair.
  const last = head.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}

export interface ChannelDelay {
  readonly delay_messages_symbols_per_second: number | null;
  readonly delay_messages_seconds: number | null;
}

/** Seconds that a part waits before it leaves: the link's seconds plus the time to type it. */
export function delaySeconds(text: string, link: ChannelDelay | undefined): number {
  if (!link) return 0;
  const typing = link.delay_messages_symbols_per_second ? text.length / link.delay_messages_symbols_per_second : 0;
  return (link.delay_messages_seconds ?? 0) + typing;
}
