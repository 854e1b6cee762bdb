/** Why an address is refused: a code, and the sentence for people, which is made where it is shown. */
import type { ContactType } from './contract.ts';

/**
 * - `empty`: nothing is written
 * - `no_address`: neither a phone number nor a username
 * - `no_country_code`: digits that are not surely those of one country
 * - `unknown_country_code`: no country has this code
 * - `too_long`, `too_short`: a digit too many or too few for the country
 * - `not_valid`: the country has no such number
 * - `unclear`: parts of the text may or may not belong to the number
 * - `hidden_digits`: some digits are replaced by stars, letters or blanks
 * - `rounded`: a spreadsheet kept the first digits only, `7.91612E+10`
 * - `no_username`: Telegram has no such username
 * - `maybe_a_name`: a word that is a username or a person's name
 * - `not_a_person`: a link or id of a group, channel, bot command or hidden account
 * - `other_link`: a link that names no phone number or username, or an e-mail address
 * - `other_network`: a username that is said to be one of another network
 * - `other_messenger`: a Telegram username where a phone number is required
 * - `several`: more than one address where one is required
 */
export const addressRefusalCodes = [
  'empty',
  'no_address',
  'no_country_code',
  'unknown_country_code',
  'too_long',
  'too_short',
  'not_valid',
  'unclear',
  'hidden_digits',
  'rounded',
  'no_username',
  'maybe_a_name',
  'not_a_person',
  'other_link',
  'other_network',
  'other_messenger',
  'several',
] as const;
export type AddressRefusalCode = (typeof addressRefusalCodes)[number];

export interface AddressRefusal {
  readonly code: AddressRefusalCode;
  /** What is refused: the digits of a number, else the text. */
  readonly number: string;
  /** ISO 3166 code of the country whose number it would be, if known. */
  readonly country: string | null;
}

/** Names that need an article. */
const WITH_ARTICLE =
  /^(?:United|Netherlands|Philippines|Bahamas|Maldives|Comoros|Gambia|Dominican|Central African|.* Islands$)/;

function numberIn(country: string | null): string {
  if (country === null) return 'number with this country code';
  const name = new Intl.DisplayNames('en', { type: 'region' }).of(country) ?? country;
  return `number in ${WITH_ARTICLE.test(name) ? `the ${name}` : name}`;
}

/** Return the sentence that operators see for a refused address. */
export function addressRefusalText(type: ContactType, { code, number, country }: AddressRefusal): string {
  switch (code) {
    case 'empty':
    case 'no_address':
      return type === 'telegram' ? 'Not a Telegram address' : 'Not a WhatsApp address';
    case 'no_country_code':
      return `${number} has no country code: write it with + and the country code`;
    case 'unknown_country_code':
      return `+${number} begins with a country code that does not exist`;
    case 'too_long':
      return `+${number} has a digit too many for a ${numberIn(country)}`;
    case 'too_short':
      return `+${number} has too few digits for a ${numberIn(country)}`;
    case 'not_valid':
      return `+${number} is not a valid ${numberIn(country)}`;
    case 'unclear':
      return `It is not clear which digits of ${number} belong to the number`;
    case 'hidden_digits':
      return `Some digits of ${number} are hidden`;
    case 'rounded':
      return `A spreadsheet has rounded this number to ${number}: format its column as text`;
    case 'no_username':
      return `${number} is not a Telegram username`;
    case 'maybe_a_name':
      return `${number} may be a name: write a username with @`;
    case 'not_a_person':
      return `${number} is not the address of a person`;
    case 'other_link':
      return `${number} names no phone number or username`;
    case 'other_network':
      return `${number} is a username of another network`;
    case 'other_messenger':
      return `${number} is a Telegram username: enter a phone number with its country code`;
    case 'several':
      return 'Enter one address: there are several here';
    default:
      return code satisfies never;
  }
}
