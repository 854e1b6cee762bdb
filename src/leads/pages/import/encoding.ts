/** The encoding of a text file: found from its bytes, since nothing else names it. Pure. */

/** What can be chosen; the first ten are recognised. */
export const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1251',
  'windows-1252',
  'windows-1250',
  'koi8-r',
  'x-mac-cyrillic',
  'ibm866',
  'windows-1254',
  'windows-1257',
  'windows-1253',
  'gb18030',
  'shift_jis',
] as const;
export type Encoding = (typeof encodings)[number];

/** What a byte becomes that is no letter in the encoding. */
export const UNREADABLE = '\ufffd';

/** Decode a file. The mark at its beginning is no part of the text. */
export const decode = (bytes: Uint8Array, encoding: Encoding): string => new TextDecoder(encoding).decode(bytes);

export function detectEncoding(bytes: Uint8Array): Encoding {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return unmarkedUtf16(bytes) ?? (isUtf8(bytes) ? 'utf-8' : detectSingleByte(bytes));
}

/** In UTF-16, every other byte of digits, separators and Latin letters is 0. */
function unmarkedUtf16(bytes: Uint8Array): Encoding | null {
  const sample = bytes.subarray(0, 4096);
  const pairs = Math.floor(sample.length / 2);
  const zeros = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > pairs / 5 && even < pairs / 50) return 'utf-16le';
  if (even > pairs / 5 && odd < pairs / 50) return 'utf-16be';
  return null;
}

/** A few foreign bytes do not make another encoding of a file whose other letters are UTF-8. */
function isUtf8(bytes: Uint8Array): boolean {
  const text = decode(bytes, 'utf-8');
  const foreign = text.split(UNREADABLE).length - 1;
  if (foreign === 0) return true;
  const letters = text.match(/[^\p{ASCII}\ufffd]/gu)?.length ?? 0;
  return letters >= foreign;
}

const CYRILLIC: readonly Encoding[] = ['windows-1251', 'koi8-r', 'x-mac-cyrillic', 'ibm866'];
const LATIN: readonly Encoding[] = ['windows-1252', 'windows-1250'];

/** Choose the encoding in which the letters beyond ASCII are the most likely; of equals, the first. */
function detectSingleByte(bytes: Uint8Array): Encoding {
  const scores = [
    ...CYRILLIC.map((encoding) => ({ encoding, score: scoreWords(decode(bytes, encoding), scoreCyrillic) })),
    ...LATIN.map((encoding) => ({
      encoding,
      score: scoreWords(decode(bytes, encoding), (word) => scoreLatin(word, encoding)),
    })),
  ];
  return scores.reduce((best, one) => (one.score > best.score ? one : best)).encoding;
}

const MAX_WORDS = 20_000;

function scoreWords(text: string, scoreOf: (word: string) => number): number {
  let score = 0;
  let words = 0;
  for (const [word] of text.matchAll(/[A-Za-z]*[^\p{ASCII}][A-Za-z\P{ASCII}]*/gu)) {
    score += scoreOf(word);
    if (++words === MAX_WORDS) break;
  }
  return score;
}

/** The letters of Russian texts, the most frequent first. */
const RUSSIAN = 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъё';
/** Signs between words that mean the same in most encodings. */
const SIGN = /[\u00a0«»“”„‘’–—…№©®°€§·]/u;

function scoreCyrillic(word: string): number {
  let score = 0;
  for (const [at, letter] of Array.from(word).entries()) {
    const rank = RUSSIAN.indexOf(letter.toLowerCase());
    if (/[A-Za-z]/.test(letter)) score -= /\p{Script=Cyrillic}/u.test(word) ? 12 : 0;
    else if (rank >= 0) score += 8 - rank / 2;
    else if (!SIGN.test(letter)) score -= /\p{L}/u.test(letter) ? 2 : 12;
    const isCapitalInside = at > 0 && /\p{Lu}/u.test(letter) && /\p{Ll}/u.test(word[at - 1] ?? '');
    if (isCapitalInside) score -= 8;
    if (/\p{Ll}/u.test(letter)) score += 1;
  }
  return score;
}

const WESTERN = 'éèêëàâäáãåæçíîïñóôöøúüßÉÈÀÂÄÁÃÅÆÇÍÎÑÓÔÖØÚÜ';
const CENTRAL = 'ąćęłńóśźżáčďéěíňřšťúůýžäöüßőűâăîşţĄĆĘŁŃÓŚŹŻÁČĎÉĚÍŇŘŠŤÚŮÝŽÄÖÜŐŰÂĂÎŞŢ';

function scoreLatin(word: string, encoding: Encoding): number {
  const typical = encoding === 'windows-1252' ? WESTERN : CENTRAL;
  let score = 0;
  for (const [letter] of word.matchAll(/[^\p{ASCII}]/gu)) {
    if (typical.includes(letter)) score += 6;
    else if (!SIGN.test(letter)) score -= /\p{L}/u.test(letter) ? 0 : 8;
  }
  // Spanish writes ñ before vowels; Polish writes ń before consonants and at the end.
  score -= 4 * (word.match(/ñ(?![aeiouáéíóú])|ń(?=[aeiouó])/giu)?.length ?? 0);
  // Words of Latin languages are mostly plain letters.
  return score - 10 * (word.match(/[^\p{ASCII}]{2}/gu)?.length ?? 0);
}
