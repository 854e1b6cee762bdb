/** One phone number as it is written: its digits, and what the marks between them say. Pure. */
import { type ReadNumber, readInternational, readTyped, refused } from './phoneNumber.ts';

/** Groups of digits that show that a digit is missing or that there is one too many, though the digits are a number. */
const OF_ANOTHER_LENGTH = [
  // Nine digits or more in one piece, and a single one apart from them: it may be a note, and the number incomplete.
  /\d{8}\D*[\s,/]\D*\d$/,
  // A Brazilian mobile number with three digits in its last group: read as one without the 9, it is another person's.
  /^\D*(?:00)?55\D*0?[1-9]{2}\D*9\D?\d{4}\D+\d{3}$/,
];

/** Two digits in brackets and the groups of a Brazilian number: an area code, though countries have such codes as well. */
const BRAZILIAN_AREA = /^\(\d\d\)\D*9?\s?\d{4}[\s.-]*\d{4}$/;

/** The trunk prefix of a number in Gabon, which the digits alone do not show. */
const GABONESE_ZERO = /^(\D*(?:00)?241\D*)(?:\(0\)|0(?=\d\d\D))/;

/** Read a text of digits and what is written between the digits of a number. */
export function readNumber(text: string): ReadNumber {
  const digits = text.replace(/\D/g, '');
  if (OF_ANOTHER_LENGTH.some((groups) => groups.test(text)))
    return { refusal: { code: 'unclear', number: text, country: null } };
  if (BRAZILIAN_AREA.test(text)) return refused('no_country_code', digits);
  const exact = text.replace(GABONESE_ZERO, '$1').replace(/\D/g, '');
  return text.includes('+') ? readInternational(exact.replace(/^00/, '')) : readTyped(exact);
}
