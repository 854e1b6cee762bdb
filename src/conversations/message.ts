/** Splits, delays and displays messages. Pure functions. */
import type { HookItem } from '../channels/driver.ts';

/** The kind of a notice from the messenger itself, written by no person. */
export const SYSTEM_NOTICE = 'system';

/**
 * Return what the thread shows: the text, or the media kind if there is no text. Empty if there is nothing to show.
 */
export function displayText(item: Pick<HookItem, 'text' | 'mediaKind'>): string {
  if (item.text.trim() !== '') return item.text;
  return item.mediaKind === 'text' ? '' : `[${item.mediaKind}]`;
}

/** Return the first line of a message for lists, at most 140 characters. */
export function previewOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 140 ? `${line.slice(0, 139)}…` : line;
}

/**
 * Split a text into parts: on blank lines if `paragraphs`, and wherever a part exceeds the vendor's limit, at the
 * last sentence end, else at the last space, else inside a word. No part is blank; only white space is lost.
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
  // One character beyond the limit: white space there is trimmed, so a sentence that ends exactly at the limit fits.
  const head = text.slice(0, limit + 1);
  const sentence = Math.max(
    ...[...head.matchAll(/[.!?…][)"»”']*\s/g)].map((match) => match.index + match[0].length),
    0,
  );
  if (sentence > limit / 4) return sentence;
  const space = head.search(/\s\S*$/);
  if (space > limit / 4) return space + 1;
  // Never split a surrogate pair.
  const last = head.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}

export interface ChannelDelay {
  readonly delay_messages_symbols_per_second: number | null;
  readonly delay_messages_seconds: number | null;
}

/** Return the seconds a part waits before it leaves: the link's fixed delay plus the time to type the text. */
export function delaySeconds(text: string, link: ChannelDelay | undefined): number {
  if (!link) return 0;
  const typing = link.delay_messages_symbols_per_second ? text.length / link.delay_messages_symbols_per_second : 0;
  return (link.delay_messages_seconds ?? 0) + typing;
}
