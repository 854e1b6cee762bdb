/** Cuts a text that exceeds a vendor's limit. Pure. */
import type { Markup } from '../../channels/markup.ts';
import { findAddresses, findWhatsAppSpans, type Range, type WhatsAppSpan } from './whatsapp.ts';

interface Cutting {
  readonly limit: number;
  readonly markup: Markup;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Cut a text into parts of at most `limit` units of `length`: at the last end of a sentence or line, else at the last
 * space, else between two characters. White space at the cuts is lost.
 */
export function cutText(text: string, { limit, markup }: Cutting): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > limit) {
    const cut = new Cut(rest, limit, markup).find();
    if (cut.head !== '') parts.push(cut.head);
    rest = cut.tail;
  }
  if (rest !== '') parts.push(rest);
  return parts;
}

interface Halves {
  readonly head: string;
  readonly tail: string;
}

class Cut {
  readonly #text: string;
  readonly #limit: number;
  readonly #spans: readonly WhatsAppSpan[];
  readonly #addresses: readonly Range[];
  readonly #characters: ReadonlySet<number>;

  constructor(text: string, limit: number, markup: Markup) {
    this.#text = text;
    this.#limit = limit;
    this.#spans = markup === 'whatsapp' ? findWhatsAppSpans(text) : [];
    this.#addresses = findAddresses(text, 0, Math.min(text.length, limit * 2 + 200));
    this.#characters = characterStarts(text, limit);
  }

  find(): Halves {
    const sentences = sentenceEnds(this.#text, this.#limit);
    const spaces = spaceEnds(this.#text, this.#limit);
    const isUnmarked = (at: number): boolean => this.#marksAt(at).length === 0;
    const far = (at: number): boolean => at > this.#limit / 4;
    for (const fits of [isUnmarked, () => true])
      for (const places of [sentences, spaces])
        for (const at of places) {
          const halves = far(at) && fits(at) && !this.#isInside(at) ? this.#cutAt(at) : null;
          if (halves) return halves;
        }
    for (const at of [...this.#characters].toReversed()) {
      const halves = at === 0 || at > this.#limit || this.#isInside(at) ? null : this.#cutAt(at);
      if (halves) return halves;
    }
    return this.#force();
  }

  /** Whether a cut would separate what people see as one character, or an address. */
  #isInside(at: number): boolean {
    if (this.#addresses.some(({ start, end }) => at > start && at < end)) return true;
    return at < this.#text.length && !this.#characters.has(at);
  }

  /** The marks that are open at a place, outermost first. */
  #marksAt(at: number): WhatsAppSpan[] {
    const open: WhatsAppSpan[] = [];
    let spans: readonly WhatsAppSpan[] = this.#spans;
    for (;;) {
      const span = spans.find(({ start, end }) => at > start && at < end);
      if (!span) return open;
      open.push(span);
      spans = span.children;
    }
  }

  /** Cut at a place and close what is open there; null if that makes no sense or is too long. */
  #cutAt(at: number): Halves | null {
    const text = this.#text;
    const marks = this.#marksAt(at);
    if (
      marks.some(
        ({ mark, start, end }) =>
          text.slice(start + mark.length, at).trim() === '' || text.slice(at, end - mark.length).trim() === '',
      )
    )
      return null;
    const fence = marks.find(({ mark }) => mark === '```');
    const isBlock = fence !== undefined && text.slice(fence.start, fence.end).includes('\n');
    const close = isBlock
      ? '\n```'
      : marks
          .map(({ mark }) => mark)
          .toReversed()
          .join('');
    const open = isBlock ? '```\n' : marks.map(({ mark }) => mark).join('');
    const head = text.slice(0, at).trimEnd() + close;
    // The indentation of code is part of it.
    const rest = isBlock ? text.slice(at).replace(/^(?:[^\S\n]*\n)+/, '') : text.slice(at).trimStart();
    const isProgress = head !== '' && open.length + rest.length < text.length;
    return head.length <= this.#limit && isProgress ? { head, tail: (open + rest).trim() } : null;
  }

  /** One character, one address or the marks around a word are longer than a message. */
  #force(): Halves {
    const text = this.#text;
    const boundary = [...this.#characters].findLast((at) => at <= this.#limit) ?? 0;
    const last = text.charCodeAt(this.#limit - 1);
    const inPair = last >= 0xd800 && last <= 0xdbff;
    const at = boundary > 0 ? boundary : Math.max(1, inPair ? this.#limit - 1 : this.#limit);
    return { head: text.slice(0, at).trimEnd(), tail: text.slice(at).trimStart() };
  }
}

/**
 * Places at which characters begin, as people see them, up to one behind the limit. All are read at once: the segmenter
 * reads one of thousands of marks from its beginning for each place that it is asked for.
 */
function characterStarts(text: string, limit: number): Set<number> {
  const starts = [...segmenter.segment(text.slice(0, limit + 3))].map(({ index }) => index);
  return new Set(starts.filter((at) => at <= limit + 1));
}

/** Places behind the ends of sentences and lines, the last one first. One character beyond the limit counts: white space is lost. */
function sentenceEnds(text: string, limit: number): number[] {
  const head = text.slice(0, limit + 1);
  const ends = head.matchAll(
    /[.!?…]+[)"»”’'*_~]*\s+|[。！？｡]+[」』）”*_~]*\s*|[؟۔।॥։།။។።]+[)"»”*_~]*\s*|[^\S\n]*\n(?:[^\S\n]*\n)*/gu,
  );
  return [...ends]
    .filter((end) => !isAbbreviation(head, end.index, text))
    .map((end) => end.index + end[0].length)
    .toReversed();
}

/** Titles and the like, which a name or a number follows. */
const TITLE =
  /(?:^|[\s.(])(?:dr|mr|mrs|ms|prof|st|sra?|dra?|hr|fr|nr|tel|str|approx|ing|mgr|mme|mlle|проф|тел|стр|рис|корп|просп|пер|инж)$/iu;

/** Whether a full stop ends no sentence: `ул. Ленина`, `т. д.`, `1. First`, `Dr. Who`. */
function isAbbreviation(head: string, at: number, text: string): boolean {
  if (head[at] !== '.' || head[at + 1] === '.') return false;
  const before = head.slice(Math.max(0, at - 40), at);
  if (TITLE.test(before) || /(?:^|\n)\s*\d{1,3}$/.test(before) || /(?:^|[\s.(])\p{Ll}{1,2}$/u.test(before)) return true;
  return /^\.\s+\p{Ll}/u.test(text.slice(at, at + 40));
}

function spaceEnds(text: string, limit: number): number[] {
  return [...text.slice(0, limit + 1).matchAll(/\s+/g)].map(({ 0: space, index }) => index + space.length).toReversed();
}
