/** The encoding of a text file: found from its bytes, since nothing else names it. Pure. */

/** What can be chosen; all but the last two are recognised. */
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
  'windows-1255',
  'windows-1256',
  'gb18030',
  'shift_jis',
] as const;
export type Encoding = (typeof encodings)[number];

/** What a byte becomes that is no letter in the encoding. */
export const UNREADABLE = '\ufffd';

/** Decode a file. The mark at its beginning is no part of the text. */
export const decode = (bytes: Uint8Array, encoding: Encoding): string => new TextDecoder(encoding).decode(bytes);

export interface DetectedEncoding {
  readonly encoding: Encoding;
  /** False: in another encoding other letters are about as likely. */
  readonly isCertain: boolean;
}

/** Find the encoding of a file: Unicode by its bytes, others by the letters that they make likely. */
export function detectEncoding(bytes: Uint8Array): DetectedEncoding {
  const unicode = markedUnicode(bytes) ?? unmarkedUtf16(bytes) ?? (isUtf8(bytes) ? 'utf-8' : null);
  return unicode === null ? detectSingleByte(bytes) : { encoding: unicode, isCertain: true };
}

function markedUnicode([first, second, third]: Uint8Array): Encoding | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : null;
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

interface Candidate {
  readonly encoding: Encoding;
  readonly score: number;
}

/** A difference in scores that less than one letter makes. */
const NEAR = 5;
/** What a letter scores on average in a text of a known language, at least. */
const LIKELY = 4;

/** Choose the encoding in which the letters beyond ASCII are the most likely; of equals, the first. */
function detectSingleByte(bytes: Uint8Array): DetectedEncoding {
  const sample = wordsBeyondAscii(bytes);
  const textIn = (encoding: Encoding) => decode(sample, encoding);
  if (SIGNS_ONLY.test(textIn('windows-1252'))) return { encoding: 'windows-1252', isCertain: true };
  const scripts = SCRIPTS.map((one) => ({
    ...one,
    score: scoreWords(textIn(one.encoding), (word) => scoreInScript(word, one.letters)),
  }));
  const latin = LANGUAGES.map((one) => ({
    ...one,
    score: one.prior + scoreWords(textIn(one.encoding), (word) => scoreInLanguage(word, one)),
  }));
  // A few letters may be as likely in an encoding that hardly anybody uses.
  const byPrior = scripts.map((one) => ({ ...one, score: one.score + one.prior }));
  const isLatin = best(latin).score > best(scripts).score;
  const { encoding } = isLatin ? best(latin) : best(byPrior);
  const all = [...latin, ...scripts];
  const { score } = best(all.filter((one) => one.encoding === encoding));
  const isAlone = all.every((one) => one.score <= score - NEAR || textIn(one.encoding) === textIn(encoding));
  // Otherwise it may be an encoding that is not tried, such as a Chinese one.
  const isLikely = score >= LIKELY * (textIn(encoding).match(/[^\p{ASCII}]/gu)?.length ?? 0);
  return { encoding, isCertain: isAlone && isLikely };
}

const best = (candidates: readonly Candidate[]): Candidate =>
  candidates.reduce((first, one) => (one.score > first.score ? one : first));

const MAX_WORDS = 5000;

/** Return the first words that have letters beyond ASCII, one a line. */
function wordsBeyondAscii(bytes: Uint8Array): Uint8Array {
  // One letter is one byte here.
  const words = decode(bytes, 'windows-1252').matchAll(/[A-Za-z]*[^\p{ASCII}][A-Za-z\P{ASCII}]*/gu);
  const first = words.take(MAX_WORDS);
  return Uint8Array.from(
    [...first].flatMap(({ 0: word, index }) => [...bytes.subarray(index, index + word.length), 10]),
  );
}

function scoreWords(text: string, scoreOf: (word: string) => number): number {
  let score = 0;
  for (const word of text.split('\n')) score += word === '' ? 0 : scoreOf(word);
  return score;
}

/** Signs between words that mean the same in most encodings. */
const SIGN = /[\u00a0«»“”„‘’–—…№©®°€§·]/u;
/** Beside plain letters alone, these are what they are in most countries: a dash or a currency. */
const SIGNS_ONLY = /^[a-z\s\u00a0«»“”„‘’–—…©®°€£§·]*$/iu;

/** Letters of the languages with scripts of their own, the most frequent first. */
const RUSSIAN = 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґ';
const GREEK = 'αοιετσνηυρπκμλωςάίόγέδήθχύφβώξζψ';
const HEBREW = 'יוהאלרבתשמנחעדקפםטגזסכןצךףץ';
const ARABIC = 'اليمونرتبدعةسفهكقحأجشصىخطضإزذئءثغظؤآ';
const SCRIPTS: readonly { readonly encoding: Encoding; readonly letters: string; readonly prior: number }[] = [
  { encoding: 'windows-1251', letters: RUSSIAN, prior: 10 },
  { encoding: 'koi8-r', letters: RUSSIAN, prior: 0 },
  { encoding: 'x-mac-cyrillic', letters: RUSSIAN, prior: 0 },
  { encoding: 'ibm866', letters: RUSSIAN, prior: 0 },
  { encoding: 'windows-1253', letters: GREEK, prior: 0 },
  { encoding: 'windows-1255', letters: HEBREW, prior: 0 },
  { encoding: 'windows-1256', letters: ARABIC, prior: 0 },
];

function scoreInScript(word: string, letters: string): number {
  const isMixed = /[A-Za-z]/.test(word) && /[^\p{ASCII}\P{L}]/u.test(word);
  let score = 0;
  for (const [at, letter] of Array.from(word).entries()) {
    const rank = letters.indexOf(letter.toLowerCase());
    if (/[A-Za-z]/.test(letter)) score -= isMixed ? 12 : 0;
    else if (rank >= 0) score += 9 - rank / 4;
    else if (!SIGN.test(letter)) score -= /\p{L}/u.test(letter) ? 6 : 12;
    const isCapitalInside = at > 0 && /\p{Lu}/u.test(letter) && /\p{Ll}/u.test(word[at - 1] ?? '');
    if (isCapitalInside) score -= 8;
  }
  return score;
}

interface Language {
  readonly encoding: Encoding;
  readonly common: string;
  readonly rare: string;
  /** How much likelier files in this language are. */
  readonly prior: number;
  /** The letters occur at the end of words only. */
  readonly isFinal?: true;
}

const COMMON = 8;
const RARE = 4;
const LANGUAGES: readonly Language[] = [
  { encoding: 'windows-1252', common: 'äöüß', rare: 'é', prior: 4 },
  { encoding: 'windows-1252', common: 'éèàçê', rare: 'âîôûùëïüœÿ', prior: 4 },
  { encoding: 'windows-1252', common: 'áéíóúñ', rare: 'üç', prior: 4 },
  { encoding: 'windows-1252', common: 'ãáçéíóõê', rare: 'âôúàü', prior: 4 },
  { encoding: 'windows-1252', common: 'ëé', rare: 'ïüèö', prior: 4 },
  { encoding: 'windows-1252', common: 'àèòùì', rare: 'éó', prior: 0, isFinal: true },
  { encoding: 'windows-1252', common: 'åäöæø', rare: 'éü', prior: 0 },
  { encoding: 'windows-1252', common: 'áíóúéöðþæý', rare: '', prior: -6 },
  { encoding: 'windows-1250', common: 'ąćęłńóśźż', rare: '', prior: 0 },
  { encoding: 'windows-1250', common: 'áčéěířšýž', rare: 'ďňťúůó', prior: 0 },
  { encoding: 'windows-1250', common: 'áčéíľšťúýž', rare: 'äďĺňóôŕ', prior: 0 },
  { encoding: 'windows-1250', common: 'áéíóöőúüű', rare: '', prior: 0 },
  { encoding: 'windows-1250', common: 'čćšž', rare: 'đ', prior: 0 },
  { encoding: 'windows-1254', common: 'çğıöşüİ', rare: 'âîû', prior: 0 },
  { encoding: 'windows-1250', common: 'ăâîşţ', rare: '', prior: 0 },
  { encoding: 'windows-1257', common: 'āčēīļņšūž', rare: 'ģķ', prior: 0 },
  { encoding: 'windows-1257', common: 'ėšūž', rare: 'ąčęįų', prior: 0 },
  { encoding: 'windows-1257', common: 'äõöü', rare: 'šž', prior: 0 },
];
/** Letters that are words. */
const WORDS = /^[àáéèêóúÀÁÉÈÊÓÚ]$/u;
const VOWEL = /^[aeiouyæøœıå]/iu;

function scoreInLanguage(word: string, { common, rare, isFinal }: Language): number {
  const letters = Array.from(word);
  const isVowel = letters.map((letter) => VOWEL.test(letter.normalize('NFD')));
  let score = 0;
  for (const [at, letter] of letters.entries()) {
    if (/\p{ASCII}/u.test(letter) || SIGN.test(letter)) continue;
    const isElsewhere = isFinal === true && at < letters.length - 1;
    const among = (alphabet: string) => alphabet.includes(letter) || alphabet.includes(letter.toLowerCase());
    if (!isElsewhere && among(common)) score += COMMON;
    else score += !isElsewhere && among(rare) ? RARE : -COMMON;
    // Three vowels or three consonants are seldom side by side.
    const isInside = at > 0 && at < letters.length - 1;
    if (isInside && isVowel[at - 1] === isVowel[at] && isVowel[at + 1] === isVowel[at]) score -= 5;
  }
  // Spanish writes ñ before vowels; Polish writes ń before consonants and at the end. French writes œu.
  score -= 12 * (word.match(/ñ(?![aeiouáéíóú])|ń(?=[aeiouáéíóú])|œ(?!u)/giu)?.length ?? 0);
  // Words of Latin languages are mostly plain letters.
  if (!/[a-z]/i.test(word) && !WORDS.test(word)) score -= 16;
  return score - 6 * (word.match(/[^\p{ASCII}]{2}/gu)?.length ?? 0);
}
