/** Unicode normalisation in time linear to the text. Pure, browser-safe. */

/**
 * Marks that are put on one letter: no script needs more than a few. Bringing them into order takes time that grows with
 * the square of their number. [64,000 of them take 1.8 s, 500,000 two minutes.]
 */
const MANY_MARKS = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** Normalise a text. Of more than 30 marks on one letter, the first 30 stay (Unicode Annex 15, Stream-Safe Text Format). */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string =>
  text.replaceAll(MANY_MARKS, '$1').normalize(form);
