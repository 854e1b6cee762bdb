/**
 * The words of a message as phrases are looked for in it: case, accents, stretched letters, look-alike letters, markup and
 * invisible characters are taken away; what is left of the punctuation is where clauses and sentences end. Linear in the
 * length of the text.
 */
import { normalizeText } from '../platform/normalizeText.ts';

/** A message in words. The arrays have one element a word, `breaks` has one more. */
export interface Words {
  readonly words: readonly string[];
  /** Whether punctuation, a line break or an emoji stands before a word. True at both ends. */
  readonly breaks: readonly boolean[];
  /** Whether the break before a word is but a comma. */
  readonly isComma: readonly boolean[];
  /** Whether the break before a word is a colon, after which somebody may be quoted. */
  readonly isColon: readonly boolean[];
  /** Whether the clause of a word ends with a question mark. */
  readonly isAsked: readonly boolean[];
  /** Number of the sentence that a word is in. */
  readonly sentences: readonly number[];
  /** Whether a word starts with a capital letter, as names do. */
  readonly isCapital: readonly boolean[];
  /** Whether all letters of the message are capitals. */
  readonly isInCapitals: boolean;
  /** Whether only a part of the message is in quotation marks, or is quoted by '>'. */
  readonly hasQuotation: boolean;
}

/** Stands for a telephone number. */
export const NUMBER = '#';

/** Letters that people type for each other, and that Unicode does not decompose. Tatweel stretches an Arabic word. */
const FOLDED = tableOf(
  'ß=ss ł=l đ=d ø=o æ=ae œ=oe ı=i ə=e і=и є=е ґ=г қ=к ң=н ғ=г ұ=у ү=у ө=о ә=а һ=х ҳ=х ӏ=и ى=ي ة=ه ی=ي ک=ك ـ=',
);
/** Latin letters in the place of Cyrillic ones, as in 'CTOП'. */
const LOOKALIKES = tableOf('a=а b=в c=с e=е h=н i=и k=к m=м o=о p=р t=т x=х y=у');

const APOSTROPHES = /(?<=\p{L})['’‘ʼʻ`´ʹ׳"״″](?=\p{L})/gu;
/** Short words that are written together with the next one in French and Italian: 'm'écrire', 'dall'elenco'. */
const ELISIONS = /(?<![\p{L}\p{N}])(qu|(?:d|n|s)?all|dell|nell|un|[cdjlmnstv])['’ʼ`´](?=\p{L})/giu;
const INVISIBLE = /[\p{Cf}\p{Cc}\uFE0F\u034F]/gu;
const PHONE = /\+?\d(?:[\s().-]{0,2}\d){6,14}/g;
/** Letters that are compared as they are. */
const PLAIN = /^(?:[a-z]+|[а-зик-я]+)$/;
/** A word, or anything else but blanks. */
const PIECE = /[\p{L}\p{N}#՛՜՞]+|[^\p{L}\p{N}\s#]|\n/gu;
const QUESTION = /[?؟;՞]/u;
const COMMA = /[,،՝]/u;
const SENTENCE_END = /[.!?…؟՞։。\n]/u;
/** Signs between words that do not end a clause: markup, hyphens within words. */
const JOINING = /[*_~`^=+@/\\\-‐‑]/u;
const OPENING_QUOTE = /^[\s.,!*_~-]*["“”„«»‘’'‚‹›]/u;
const CLOSING_QUOTE = /["“”„«»‘’'‚‹›][\s.,!*_~-]*$/u;
const QUOTE = /["“”„«»‹›]/u;

/** Write words that are contracted by an apostrophe as two words. */
export const separateElisions = (text: string): string => text.replace(ELISIONS, '$1 ');

/** Bring a word to the form in which words are compared. */
export function foldWord(word: string): string {
  if (PLAIN.test(word)) return word.replace(/(.)\1+/g, '$1');
  let folded = '';
  const plain = normalizeText(normalizeText(word, 'NFKC').toLowerCase().replace(APOSTROPHES, ''), 'NFD').replace(
    /\p{M}/gu,
    '',
  );
  const isCyrillic = /\p{Script=Cyrillic}/u.test(plain);
  for (const letter of plain) {
    const like = (isCyrillic ? LOOKALIKES.get(letter) : undefined) ?? letter;
    const next = FOLDED.get(like) ?? like;
    // A letter that is repeated counts once: 'stooop', and typing errors such as 'mesage'.
    for (const one of next) if (!folded.endsWith(one) || /\d/.test(one)) folded += one;
  }
  return folded;
}

/** Read a message. */
export function readWords(text: string): Words {
  // The hyphen between blanks is a dash.
  const plain = unquote(normalizeText(text, 'NFKC').replace(INVISIBLE, (sign) => (/[\n\r\t]/.test(sign) ? '\n' : '')))
    .replaceAll('#', '')
    .replace(ELISIONS, '$1 ')
    .replace(APOSTROPHES, '')
    .replace(PHONE, ` ${NUMBER} `)
    .replace(/(?<=\s)[-–—]+(?=\s)|[–—]/gu, ',')
    // Marks within a word, as in 'f**k', or in the name of a program's tool.
    .replace(/(?<=\p{L})(?:\*+|_+)(?=\p{L})/gu, '');
  const found = { words: [] as string[], breaks: [] as boolean[], clauses: [] as number[], sentences: [] as number[] };
  // A text may consist of one character that stands for four words, again and again.
  const folded = new Map<string, string>();
  const isCapital: boolean[] = [];
  const isComma: boolean[] = [];
  const isColon: boolean[] = [];
  let comma = false;
  let colon = false;
  const asked = new Set<number>();
  let clause = 0;
  let sentence = 0;
  let isBreak = true;
  for (const [piece] of plain.matchAll(PIECE)) {
    if (/[\p{L}\p{N}#]/u.test(piece)) {
      // Armenian marks stand within the word that is stressed or asked.
      if (QUESTION.test(piece)) asked.add(clause);
      const word = folded.get(piece) ?? foldWord(piece.replace(/[՛՜՞]/gu, ''));
      folded.set(piece, word);
      found.words.push(word);
      found.breaks.push(isBreak);
      isComma.push(isBreak && comma);
      isColon.push(isBreak && colon);
      found.clauses.push(clause);
      found.sentences.push(sentence);
      isCapital.push(/^\p{Lu}/u.test(piece));
      isBreak = false;
    } else if (!JOINING.test(piece)) {
      if (QUESTION.test(piece)) asked.add(clause);
      // Marks in a row, as in '?!', end one clause.
      if (!isBreak) clause += 1;
      else if (QUESTION.test(piece) && clause > 0) asked.add(clause - 1);
      if (SENTENCE_END.test(piece)) sentence += 1;
      comma = COMMA.test(piece) && (comma || !isBreak);
      colon = piece === ':' || (colon && isBreak);
      isBreak = true;
    }
  }
  found.breaks.push(true);
  return spelled({
    words: found.words,
    breaks: found.breaks,
    isComma,
    isColon,
    isAsked: found.clauses.map((one) => asked.has(one)),
    sentences: found.sentences,
    isCapital,
    isInCapitals: /\p{Lu}{2}/u.test(plain) && !/\p{Ll}/u.test(plain),
    hasQuotation: QUOTE.test(plain.replace(/(?<=\p{L})"(?=\p{L})/gu, '')) || /^[^\S\n\r\u2028\u2029]*>/m.test(plain),
  });
}

/** Take quotation marks around the whole away. */
function unquote(text: string): string {
  if (!OPENING_QUOTE.test(text) || !CLOSING_QUOTE.test(text)) return text;
  const inner = text.replace(OPENING_QUOTE, '').replace(CLOSING_QUOTE, '');
  return QUOTE.test(inner) ? text : inner;
}

/** Letters that are typed one by one ('S T O P', 'с.т.о.п') are one word. */
function spelled(message: Words): Words {
  const { words } = message;
  if (words.length < 3 || !words.every((word) => word.length === 1 && /\p{L}/u.test(word))) return message;
  return {
    ...message,
    words: [foldWord(words.join(''))],
    breaks: [true, true],
    isComma: [false],
    isColon: [false],
    isAsked: message.isAsked.slice(-1),
    sentences: [0],
    isCapital: [true],
  };
}

function tableOf(pairs: string): ReadonlyMap<string, string> {
  return new Map(
    pairs.split(' ').map((pair) => {
      const [from = '', to = ''] = pair.split('=');
      return [from, to];
    }),
  );
}
