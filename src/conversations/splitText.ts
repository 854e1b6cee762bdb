/**
 * Splits a text into messages: at blank lines where that is wanted, and wherever a part exceeds the vendor's limit. Nothing
 * is cut that people see as one: a character, an address, marked words, a block of code, a short list. Pure.
 */
import type { Markup } from '../channels/markup.ts';
import { cutText } from './markup/cutText.ts';
import { findWhatsAppSpans, type Range } from './markup/whatsapp.ts';

interface Splitting {
  /** The longest message, in the units of `length`, as the vendors count. */
  readonly limit: number;
  /** Whether blank lines begin a new message. */
  readonly paragraphs: boolean;
  readonly markup: Markup;
  /** Where lines that head what follows begin, if that is known. */
  readonly headings?: readonly number[];
}

/** Most messages that blank lines make of a text; the shortest neighbours stay together. */
export const MAX_PARAGRAPHS = 5;
/** Longest list that stays one message in spite of blank lines between its items, characters. */
const SHORT_LIST = 1000;

/** Split a text. No part is blank; only white space is lost, and marks that a cut separates are closed and opened again. */
export function splitText(text: string, { limit, paragraphs, markup, headings = [] }: Splitting): string[] {
  const blocks = paragraphs
    ? joinShortest(paragraphsOf(text, headings), text, limit)
    : [{ start: 0, end: text.length }];
  return blocks.flatMap(({ start, end }) => cutText(text.slice(start, end), { limit, markup }));
}

/** Split at blank lines, except within a block of code, in a list, and behind what introduces something. */
function paragraphsOf(text: string, headings: readonly number[]): Range[] {
  const fences = findWhatsAppSpans(text).filter(({ mark }) => mark === '```');
  const blocks: Range[] = [];
  let start = 0;
  for (const { 0: gap, index } of text.matchAll(/\n[^\S\n]*\n\s*/g)) {
    if (fences.some((fence) => index > fence.start && index < fence.end)) continue;
    blocks.push({ start, end: index });
    // The indentation of the next line is part of it.
    start = index + gap.lastIndexOf('\n') + 1;
  }
  blocks.push({ start, end: text.length });
  const joined: Range[] = [];
  for (const block of blocks.filter((one) => text.slice(one.start, one.end).trim() !== '')) {
    const last = joined.at(-1);
    if (last && belongsTogether({ text, left: last, right: block, headings }))
      joined[joined.length - 1] = { ...last, end: block.end };
    else joined.push(block);
  }
  return joined;
}

interface Neighbours {
  readonly text: string;
  readonly left: Range;
  readonly right: Range;
  readonly headings: readonly number[];
}

function belongsTogether({ text, left, right, headings }: Neighbours): boolean {
  const above = text.slice(left.start, left.end).trimEnd();
  const below = text.slice(right.start, right.end);
  const lastLine = above.slice(above.lastIndexOf('\n') + 1);
  const lastLineStart = left.start + above.length - lastLine.length;
  if (headings.includes(lastLineStart)) return true;
  const item = itemOf(below);
  if (item !== null || below.startsWith('```')) if (/[:：][*_~]*$/.test(lastLine)) return true;
  // The list that the lines above end with.
  const listStart = above
    .split('\n')
    .map(itemOf)
    .findLast((one) => one !== null);
  if (listStart === undefined) return false;
  const isContinued = item === listStart || (item === null && /^[^\S\n]{2,}\S/.test(below));
  return isContinued && right.end - left.start <= SHORT_LIST;
}

/** A line of a price list, alone: `Table — 500 €`. */
const PRICE = /^[^\n.!?]{1,60}\s[—–-]\s(?:\p{L}{1,5}\s)?[^\n.!?\p{L}]{0,10}\p{N}[^\n.!?]{0,20}$/u;

/** What a list's item begins with, the same for all items of one list; null: the line is none. */
function itemOf(line: string): string | null {
  const trimmed = line.trimStart();
  const [, bullet] = /^([-*+•–—▪◦·‣☐☑])\s+\S/u.exec(trimmed) ?? [];
  if (bullet !== undefined) return '☐☑'.includes(bullet) ? '☐' : bullet;
  if (/^(?:\d{1,3}[.)]|\d\ufe0f?\u20e3|\p{L}\))\s*\S/u.test(trimmed)) return '1';
  if (PRICE.test(trimmed)) return '=';
  return /^\p{Extended_Pictographic}\ufe0f?(?=\s)/u.exec(trimmed)?.[0] ?? null;
}

/** Join the shortest neighbours until there are few enough. */
function joinShortest(blocks: readonly Range[], text: string, limit: number): Range[] {
  const joined = [...blocks];
  const lengthFrom = (index: number): number => {
    const [one, next] = [joined[index], joined[index + 1]];
    const length = one && next ? text.slice(one.start, next.end).trim().length : Number.POSITIVE_INFINITY;
    return length > limit ? Number.POSITIVE_INFINITY : length;
  };
  while (joined.length > MAX_PARAGRAPHS) {
    const lengths = joined.map((_one, index) => lengthFrom(index));
    const shortest = Math.min(...lengths);
    if (shortest === Number.POSITIVE_INFINITY) break;
    const index = lengths.indexOf(shortest);
    const [one, next] = [joined[index], joined[index + 1]];
    if (!one || !next) break;
    joined.splice(index, 2, { start: one.start, end: next.end });
  }
  return joined;
}
