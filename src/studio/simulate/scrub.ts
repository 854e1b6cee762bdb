/**
 * Removes what says who somebody is from texts that are kept or sent on: names, numbers, addresses, e-mails and links.
 * Deterministic, and rather too much than too little. What is removed leaves an ellipsis.
 */
import { normalizeText } from '../../platform/normalizeText.ts';

/** Stands for what was removed. */
export const REMOVED = '…';

/** Sought where a word begins: at each letter of a long word, it would take minutes. */
const MAIL =
  /(?<![\p{L}\p{N}._%+'-])[\p{L}\p{N}._%+'-]+(?:\s*@\s*[\p{L}\p{N}._-]+\.\p{L}{2,}|@[\p{L}\p{N}._-]*)|@[\p{L}\p{N}._-]*/gu;
/** With a scheme, with `www`, or a host name: a word, a dot and letters without a space; no label of one is longer. */
const LINK =
  /https?\s*:\S*|www\.\S*|\b(?:tg|mailto|tel|whatsapp)\s*:\s*\/{0,2}\S+|(?<![\p{L}\p{N}])[\p{L}\p{N}][\p{L}\p{N}-]{0,62}(?:\.[\p{L}\p{N}-]{1,63}){0,10}\.\p{L}{2,}(?:[/:?#]\S*)?/giu;
/** Six digits or more, whatever stands between them: phone numbers, documents, cards, orders. */
const NUMBER = /\+?\p{N}(?:[\s().,:;/\\_·•\p{Pd}\p{Cf}\p{M}]*\p{N}){5,}/gu;
/** Days that may be dates of birth: 1.2.1985, 1985-02-01, 1 Feb 1985. */
const DATE =
  /(?<!\p{N})(?:\p{N}{1,2}[./-]\p{N}{1,2}[./-]\p{N}{2,4}|\p{N}{1,2}\s+\p{L}{3,9}\.?,?\s+(?:19|20)\p{N}{2})(?!\p{N})/gu;
/** A kind of street or dwelling with what stands beside it: `ул. Ленина, д. 5`, `12 Baker Street`, `apt 4`. */
const ADDRESS = new RegExp(
  [
    String.raw`(?<!\p{L})(?:ул|улиц[аеуы]|пр-т|просп(?:ект[ае]?)?|пер(?:еул(?:ок|ке))?|шоссе|бульв(?:ар[ае]?)?|наб(?:ережн\p{L}{2})?|мкр|площад[ьи])(?!\p{L})\.?\s*[\p{L}\p{N}-]+(?:\s+\p{Lu}[\p{L}-]+)?(?:[\s,]+(?:д(?:ом)?\.?\s*)?\p{N}+\p{L}?)?`,
    String.raw`(?<!\p{L})(?:дом|д|кв|квартира|корп|корпус|стр|подъезд|этаж)(?!\p{L})[.\s]*№?\s*\p{N}+\p{L}?`,
    String.raw`(?<!\p{N})\p{N}+\p{L}?,?\s+(?:\p{Lu}[\p{L}'-]+\s+){1,3}(?:street|st|avenue|ave|road|rd|lane|ln|boulevard|blvd|drive|square|court|way)(?!\p{L})\.?`,
    String.raw`(?<!\p{L})\p{Lu}[\p{L}'-]{1,60}\s*(?:straße|strasse|str|gasse|platz|allee)(?!\p{L})\.?\s*\p{N}*\p{L}?(?!\p{L})`,
    String.raw`(?<!\p{L})(?:apt|apartment|flat|suite|unit|house|building|bldg|floor|zip|postcode)(?!\p{L})\.?\s*(?:no\.?\s*)?#?\p{N}+\p{L}?`,
  ].join('|'),
  'giu',
);

/** Letters of one name that are too few to be one. */
const SHORTEST_NAME = 2;
/** Cyrillic names from this length on are found in their other cases too: Анна, Анны, Анной. */
const SHORTEST_STEM = 4;

export interface Scrubber {
  /** Remove personal data from a text; what is left is trimmed, and may be empty. */
  scrub(text: string): string;
}

/**
 * Create a scrubber for the names of people.
 *
 * @param words the team's own texts. A name that is an ordinary word there, in lower case ("kitchen" of a lead that was
 * named "Kitchen, 2nd floor"), is removed only as it is written in the name.
 */
export function createScrubber(names: readonly string[], words = ''): Scrubber {
  const ordinary = new Set(normalizeText(words, 'NFKC').match(/(?<![\p{L}\p{N}])\p{Ll}+(?![\p{L}\p{N}])/gu) ?? []);
  const tokens = new Set(names.flatMap((name) => tokensOf(name)));
  const patterns = [...tokens].map((token) => patternOf(token, ordinary.has(token.toLowerCase())));
  return {
    scrub(text) {
      // NFKC would make three dots of the ellipsis.
      const pieces = text.toWellFormed().split(REMOVED);
      let rest = pieces.map((piece) => normalizeText(piece, 'NFKC')).join(REMOVED);
      // What is left may form something anew where something was removed.
      for (let before = ''; before !== rest; ) {
        before = rest;
        for (const pattern of [MAIL, LINK, ADDRESS, DATE, NUMBER, ...patterns])
          rest = rest.replaceAll(pattern, REMOVED);
        rest = tidy(rest);
      }
      return /[\p{L}\p{N}]/u.test(rest) ? rest : '';
    },
  };
}

/** Put what is left on one line, with one ellipsis where several stood side by side. */
const tidy = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replaceAll(/[.…]*(?:…|\.{3})[.…]*/g, REMOVED)
    .replaceAll(/…(?:[\s,.;:…-]*…)+/gu, REMOVED)
    .replaceAll(/^[\s,.;:-]+|[\s,;:-]+$/gu, '')
    .trim();

/** The words of a name. */
function tokensOf(name: string): string[] {
  const tokens = normalizeText(name, 'NFKC').match(/[\p{L}\p{M}]+/gu) ?? [];
  return tokens.filter((token) => Array.from(token).length >= SHORTEST_NAME);
}

function patternOf(token: string, isOrdinary: boolean): RegExp {
  const whole = (word: string, flags: string) => new RegExp(`(?<![\\p{L}\\p{M}])${word}(?![\\p{L}\\p{M}])`, flags);
  if (isOrdinary) return whole(token, 'gu');
  const isDeclined = token.length >= SHORTEST_STEM && /^\p{Script=Cyrillic}+$/u.test(token);
  return isDeclined ? whole(`${token.replace(/[аеиоуыэюяьй]$/iu, '')}\\p{L}{0,3}`, 'giu') : whole(token, 'giu');
}
