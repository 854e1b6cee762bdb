/**
 * Which runs of `*` and `_` may open and close emphasis. CommonMark's rule is made for authors of documents; in what
 * models write to people it finds emphasis in `200*160*40` and `^_^`, and none in `**Важно:**текст` or `**「要点」**は`, where a
 * letter follows the closing run.
 */
import { attention } from 'micromark-core-commonmark';
import type { Code, Construct, Tokenizer } from 'micromark-util-types';

type Side = 'space' | 'word' | 'digit' | 'other';

const STAR = 42;
const isMark = (code: Code): boolean => code === STAR || code === 95 || code === 126;

/** What a code unit is; half of a surrogate pair counts as a symbol, since emoji are. */
function sideOf(code: Code): Side {
  // Line endings and tabs are negative.
  if (code === null || code < 0) return 'space';
  const character = String.fromCharCode(code);
  if (/\s/u.test(character)) return 'space';
  if (/\p{N}/u.test(character)) return 'digit';
  return /[\p{L}\p{M}]/u.test(character) ? 'word' : 'other';
}

const matches = (code: Code, characters: string): boolean =>
  code !== null && code > 0 && characters.includes(String.fromCharCode(code));

/** Signs that end a phrase, so that no emphasis begins before them: `5**, 4**`. */
const CLOSING = '.,;:!?…)]}»”’%';
const OPENING = '([{«“„‘';
/** Signs of names, addresses, formulas and emoticons: `@_name_`, `^_^`, `-_-`, `:*`. */
const NO_UNDERSCORE_BESIDE = '@/\\.=&?#%+$^-:;<>|';
const NO_STAR_BESIDE = '@/\\=&?#%+$^-;<>|';

interface Run {
  readonly marker: number;
  readonly length: number;
  readonly before: Code;
  readonly after: Code;
}

/** Decide what a run may do. */
export function flanking({ marker, length, before, after }: Run): { readonly open: boolean; readonly close: boolean } {
  const [left, right] = [sideOf(before), sideOf(after)];
  const touches = (side: Side): boolean => side === 'word' || side === 'digit';
  if (marker === STAR && length > 1) {
    // A power or a code, not emphasis: `2**10`, `0503***6304`.
    const isInNumber = touches(left) && touches(right) && (left === 'digit' || right === 'digit');
    const endsPhrase = matches(after, CLOSING) && left !== 'space' && !matches(before, OPENING);
    const beginsPhrase = matches(before, OPENING) && right !== 'space' && !matches(after, CLOSING);
    return { open: right !== 'space' && !endsPhrase && !isInNumber, close: left !== 'space' && !beginsPhrase };
  }
  const refused = marker === STAR ? NO_STAR_BESIDE : NO_UNDERSCORE_BESIDE;
  const isEmoticon = marker === STAR && matches(before, ':') && !touches(right);
  const isBeside = touches(left) || matches(before, refused) || isEmoticon || isSignBefore(after, before);
  return {
    open: right !== 'space' && !isBeside && !matches(after, CLOSING),
    close:
      left !== 'space' &&
      !touches(right) &&
      !matches(before, OPENING) &&
      !matches(after, marker === STAR ? NO_STAR_BESIDE : '@/\\=&#%+$^'),
  };
}

/** A run between two signs neither begins nor ends words, unless one of them is another mark or an opening sign. */
function isSignBefore(after: Code, before: Code): boolean {
  if (sideOf(after) !== 'other' || sideOf(before) === 'space') return false;
  return !isMark(after) && !isMark(before) && !matches(before, OPENING) && !matches(after, OPENING);
}

/**
 * How many marks of each kind may still be closed, by text. A run that nothing can have opened is no closing one: the parser
 * would look for its opening one in all of the text before it, every time.
 */
const openMarks = new WeakMap<object, Map<Code, number>>();

const tokenize: Tokenizer = function tokenizeRun(effects, ok) {
  const { previous } = this;
  const marks = openMarks.get(this) ?? new Map<Code, number>();
  openMarks.set(this, marks);
  let marker: Code = null;
  let length = 0;
  return (code) => {
    marker = code;
    effects.enter('attentionSequence');
    return inside(code);
  };
  function inside(code: Code): ReturnType<typeof ok> {
    if (code === marker) {
      effects.consume(code);
      length += 1;
      return inside;
    }
    const token = effects.exit('attentionSequence');
    const { open, close } = flanking({ marker: marker ?? 0, length, before: previous, after: code });
    const waiting = marks.get(marker) ?? 0;
    token._open = open;
    token._close = close && waiting > 0;
    marks.set(marker, Math.max(0, waiting - (close ? length : 0)) + (open ? length : 0));
    return ok(code);
  }
};

/** Emphasis as models mean it; takes the place of CommonMark's `attention`. */
export const emphasis: Construct = { ...attention, name: 'emphasis', tokenize };
