/** Cards of amoCRM as leads, and the lists that they come in. */

import answers from '../../crm/amocrm/answers.corpus.json' with { type: 'json' };
import cards from '../../crm/amocrm/cards.corpus.json' with { type: 'json' };
import { parseJson } from '../../crm/amocrm/json.ts';
import { contact, listOf, rawListOf, toCard } from '../../crm/amocrm/shapes.ts';
import { addressesOf, fieldsOf, nameOf, refusedAddressesOf } from '../../crm/leadFromCard.ts';
import { type CorpusFile, corpusOf } from './corpus.ts';

interface CardCase {
  readonly kind: string;
  readonly card: unknown;
  readonly contacts: readonly unknown[];
  readonly becomes:
    | { readonly skipped: string }
    | { readonly deleted: number }
    | {
        readonly name: string;
        readonly addresses: readonly string[];
        readonly fields: object;
        readonly refused?: string;
      };
}

/** As an integration has them before anybody changes them. */
const NAMES = {
  timezone: 'UTC',
  tg_contact_custom_field_name: 'telegram',
  whatsapp_contact_custom_field_name: 'whatsapp',
};

/** Read as it comes over the wire. Half a character is written as its escape in the corpus, which must be valid itself. */
const received = (value: unknown): unknown => parseJson(JSON.stringify(value).replaceAll('\\\\ud83c', '\\ud83c'));

function leadOf(raw: unknown, rawContacts: readonly unknown[]): CardCase['becomes'] {
  const read = toCard(received(raw));
  if (read.kind === 'deleted') return { deleted: read.id };
  if (read.kind === 'unreadable') return { skipped: read.reason };
  const list = { _embedded: { contacts: received(rawContacts) } };
  const { items } = listOf('contacts', contact).parse(list);
  const contacts = read.card.contactIds.flatMap((id) => items.find((one) => one.id === id) ?? []);
  const refused = refusedAddressesOf(read.card, contacts, NAMES);
  return {
    name: nameOf(read.card, contacts, NAMES),
    addresses: addressesOf(read.card, contacts, NAMES).map(({ type, address }) => `${type} ${address}`),
    fields: fieldsOf(read.card, contacts, NAMES),
    ...(refused === null ? {} : { refused }),
  };
}

export const CRM_CARDS = corpusOf('cards of amoCRM', cards as CorpusFile<CardCase>, ({ card, contacts, becomes }) => ({
  input: JSON.stringify({ card, contacts }),
  expected: JSON.stringify(becomes),
  actual: JSON.stringify(leadOf(card, contacts)),
}));

interface AnswerCase {
  readonly kind: string;
  readonly body: string;
  readonly becomes: string;
}

function listIn(body: string): string {
  if (body === '') return 'nothing';
  const parsed = rawListOf('leads').safeParse(parseJson(body));
  if (!parsed.success) return 'unreadable';
  const items = parsed.data.items.map(toCard);
  return [
    `${items.filter((one) => one.kind === 'card').length} cards`,
    ...items.flatMap((one) => (one.kind === 'deleted' ? [`deleted: ${one.id}`] : [])),
    ...items.flatMap((one) => (one.kind === 'unreadable' ? [`skipped: ${`${one.id} ${one.reason}`.trim()}`] : [])),
    ...(parsed.data.hasNext ? ['and more'] : []),
  ].join(', ');
}

export const CRM_ANSWERS = corpusOf('lists of amoCRM', answers as CorpusFile<AnswerCase>, ({ body, becomes }) => ({
  input: body,
  expected: becomes,
  actual: listIn(body),
}));
