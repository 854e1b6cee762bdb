/**
 * What WhatsApp shows of a message's own markup: `*bold*`, `_italic_`, `~struck~`, `` `code` `` and code in three
 * backticks. A mark counts only between a sign and a word: no letter or digit outside it, no space inside it, all on one
 * line. Runs on the server and in the browser.
 *
 * Syntax: https://faq.whatsapp.com/539178204879377 (the conditions are not documented there; they are what its clients do,
 * as bridges to other messengers describe them).
 */

import type { Markup } from '../../channels/markup.ts';

export type WhatsAppMark = '*' | '_' | '~' | '`' | '```';

/** A stretch of a text. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Text between two marks, with both of them. */
export interface WhatsAppSpan extends Range {
  readonly mark: WhatsAppMark;
  readonly children: readonly WhatsAppSpan[];
}

const FENCE = '```';
const MARKS = ['*', '_', '~', '`'] as const;

/** Whether a character, or the lack of one, may stand outside a mark. */
export const isOutside = (character: string | undefined): boolean =>
  character === undefined || !/[\p{L}\p{N}\p{M}]/u.test(character);

/**
 * Keep the sign before a number: `> 100 pieces` says more than that, but WhatsApp takes it for a quotation and hides the
 * sign. It does so only with a space behind it.
 */
export const withSignsShown = (text: string, markup: Markup): string =>
  markup === 'whatsapp' ? text.replace(/^>[^\S\n]+(?!\d{1,3}[.)]\s)(?=[\p{Sc}~≈=+-]?[^\S\n]?\p{N})/gmu, '>') : text;

/** Addresses, whose signs are no marks. */
const ADDRESS = /\b(?:https?:\/\/|www\.)[^\s<>`]+|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,100}/giu;

/** Find what is formatted in a text, in order. Time grows with the length only. */
export function findWhatsAppSpans(text: string): WhatsAppSpan[] {
  const spans: WhatsAppSpan[] = [];
  let from = 0;
  for (let at = text.indexOf(FENCE); at >= 0; ) {
    const close = text.indexOf(FENCE, at + FENCE.length + 1);
    if (close < 0) break;
    if (text.slice(at + FENCE.length, close).trim() === '') {
      at = close;
      continue;
    }
    spans.push(...spansOfLines(text, from, at));
    spans.push({ mark: FENCE, start: at, end: close + FENCE.length, children: [] });
    from = close + FENCE.length;
    at = text.indexOf(FENCE, from);
  }
  spans.push(...spansOfLines(text, from, text.length));
  return spans;
}

function spansOfLines(text: string, from: number, to: number): WhatsAppSpan[] {
  const spans: WhatsAppSpan[] = [];
  for (let start = from; start < to; ) {
    const lineEnd = text.indexOf('\n', start);
    const end = lineEnd < 0 || lineEnd > to ? to : lineEnd;
    if (/[*_~`]/.test(text.slice(start, end))) spans.push(...spansOfLine({ text, start, end, open: '' }));
    start = end + 1;
  }
  return spans;
}

interface Stretch {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The marks that it stands between already. */
  readonly open: string;
}

function spansOfLine({ text, start, end, open }: Stretch): WhatsAppSpan[] {
  const spans: WhatsAppSpan[] = [];
  const addresses = findAddresses(text, start, end);
  const isAddress = (at: number): boolean => addresses.some((one) => at >= one.start && at < one.end);
  // A mark that nothing closes from here on is closed by nothing further on.
  const unclosed = new Set<string>();
  for (let at = start; at < end; at++) {
    const mark = MARKS.find((one) => one === text[at]);
    if (mark === undefined || open.includes(mark) || unclosed.has(mark) || isAddress(at)) continue;
    if (!isOutside(characterBefore(text, at)) || /[\s]/.test(text[at + 1] ?? ' ') || text[at + 1] === mark) continue;
    const close = findClose({ text, start: at + 2, end, open: mark }, isAddress);
    if (close < 0) {
      unclosed.add(mark);
      continue;
    }
    const children = mark === '`' ? [] : spansOfLine({ text, start: at + 1, end: close, open: open + mark });
    spans.push({ mark, start: at, end: close + 1, children });
    at = close;
  }
  return spans;
}

function findClose({ text, start, end, open }: Stretch, isAddress: (at: number) => boolean): number {
  for (let at = text.indexOf(open, start); at >= 0 && at < end; at = text.indexOf(open, at + 1))
    if (!/\s/.test(text[at - 1] ?? ' ') && isOutside(characterAt(text, at + 1)) && !isAddress(at)) return at;
  return -1;
}

/** Find addresses of pages and mailboxes. */
export function findAddresses(text: string, start: number, end: number): Range[] {
  const line = text.slice(start, end);
  if (!/[/@]|www\./i.test(line)) return [];
  return [...line.matchAll(ADDRESS)].map((found) => ({
    start: start + found.index,
    // The marks around an address belong to it no more than the full stop behind it.
    end: start + found.index + found[0].replace(/[*_~.,;:!?)]+$/, '').length,
  }));
}

/** Return the whole character that ends at a place. */
export function characterBefore(text: string, at: number): string | undefined {
  if (at <= 0) return undefined;
  const pair = text.codePointAt(at - 2) ?? 0;
  return pair > 0xffff ? String.fromCodePoint(pair) : text[at - 1];
}

/** Return the whole character that begins at a place. */
export function characterAt(text: string, at: number): string | undefined {
  const point = text.codePointAt(at);
  return point === undefined ? undefined : String.fromCodePoint(point);
}
