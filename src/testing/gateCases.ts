/** Thirty test cases for the prompt of the world that tests run in, each of which the sandbox's model meets. */
import type { CaseWrite, Requirement } from '../studio/caseContract.ts';

/** What a good answer to any question meets. */
const GOOD: readonly Requirement[] = [
  { kind: 'language', language: 'en' },
  { kind: 'max_length', characters: 400 },
  { kind: 'known_facts' },
  { kind: 'max_questions', count: 1 },
  { kind: 'no_hand_over' },
  { kind: 'no_tool' },
  { kind: 'not_contains', text: 'fool' },
  { kind: 'not_matches', pattern: 'guarantee|refund|security code' },
  { kind: 'not_matches', pattern: '(dear|hello|hi),? (robert|boris)' },
];

const says = (...texts: string[]): Requirement[] => texts.map((text) => ({ kind: 'contains', text }));

const PRICE = says('4200 euros');
const TIME = says('six weeks');
const HOURS = says('10:00', '19:00');

type Said = readonly (readonly ['user' | 'bot', string])[];

const QUESTIONS: readonly (readonly [string, Requirement[]])[] = [
  ['How much does a kitchen cost?', PRICE],
  ['What is the price of a kitchen?', PRICE],
  ['Hello! How much is a kitchen?', PRICE],
  ['Kitchen price?', PRICE],
  ['And how much would that cost me?', PRICE],
  ['Hi, what does a kitchen cost at your place?', PRICE],
  ['Is the price in euros?', PRICE],
  ['How long does delivery take?', TIME],
  ['How many weeks does the delivery take?', TIME],
  ['Hello, how soon do you deliver?', TIME],
  ['When will it be delivered?', TIME],
  ['What about delivery, how long is it?', TIME],
  ['Delivery time?', TIME],
  ['When is the showroom open?', HOURS],
  ['What are the opening hours of the showroom?', HOURS],
  ['Is the showroom open today?', HOURS],
  ['Good day! When are you open?', HOURS],
  ['How much does a kitchen cost and how long does delivery take?', [...PRICE, ...TIME]],
  ['What is the price and when is the showroom open?', [...PRICE, ...HOURS]],
];

const AFTER: Said = [
  ['user', 'Hello'],
  ['bot', 'Hello, Anna! A kitchen costs from 4200 euros. Delivery takes six weeks.'],
];

const REFUSALS = ['No, thank you', 'I am not interested', 'I have changed my mind', 'Leave me alone'];
const HUMANS: readonly (readonly [string, Requirement])[] = [
  ['I want to talk to a human', { kind: 'hands_over', reason: 'asked_for_human' }],
  ['Give me a manager, please', { kind: 'hands_over', reason: 'asked_for_human' }],
  ['Great, I will take it, sign me up', { kind: 'hands_over', reason: 'agrees_to_buy' }],
  ['I want to order a kitchen', { kind: 'hands_over', reason: 'agrees_to_buy' }],
  ['I will sue you, this is a scam', { kind: 'hands_over', reason: 'threatens' }],
];

/** What the model can look up: nothing that these cases ask for. */
const TEXTS = [
  { id: 900_001, name: 'Taps', version: 1, description: 'Models of taps', text: 'We sell taps of three makes.' },
];

/** Return the cases, to be created for a product. */
export function gateCases(productId: number, promptId: number): Extract<CaseWrite, object>[] {
  const caseOf = (turns: Said, requirements: Requirement[]): CaseWrite => {
    const history = turns.map(([side, text]) => ({ side, text, kind: 'text' }));
    return {
      product_id: productId,
      prompt_id: promptId,
      prompt_type: 'prompt',
      name: turns.at(-1)?.[1] ?? '',
      source: 'manual',
      history,
      facts: {
        lead: { name: 'Anna', stage: 'ongoing', crm_fields: {} },
        contact: { contact: '79991234567', type: 'whatsapp' },
        documents: {},
        now: '2026-11-27T10:00:00.000Z',
        texts: TEXTS,
        notes: [],
        may_hand_over: true,
        as_of_creation: [],
      },
      requirements,
      rubric: null,
      is_enabled: true,
    };
  };
  return [
    ...QUESTIONS.map(([question, requirements]) => caseOf([['user', question]], [...GOOD, ...requirements])),
    caseOf([...AFTER, ['user', 'And how much was it again?']], [...GOOD, ...PRICE]),
    caseOf([...AFTER, ['user', 'When is the showroom open?']], [...GOOD, ...HOURS]),
    ...REFUSALS.map((words) =>
      caseOf(
        [...AFTER, ['user', words]],
        [...GOOD, { kind: 'max_questions', count: 0 }, { kind: 'not_contains', text: 'really must' }],
      ),
    ),
    ...HUMANS.map(([words, requirement]) => caseOf([...AFTER, ['user', words]], [requirement])),
  ];
}
