/** What a model writes as a lead: mistakes known of such tools are found, and a customer's own words are left alone. */
import { expect, it, test } from 'vitest';
import { recogniseOptOut } from '../../leads/optOut.ts';
import type { Beat } from './beats.ts';
import { findPlayFault, type PlayFault, plainWords, tidyPlay } from './playFaults.ts';

const ASK: Beat = { kind: 'ask', questions: ['How much is it?'] };
const OURS = ['A kitchen of three metres costs from 4200 euros, and it takes five weeks.', 'Hello!'];
const faultOf = (text: string, beat: Beat = ASK) => findPlayFault(tidyPlay([text]), beat, OURS);

test.each<[PlayFault, string]>([
  // The roles are swapped.
  ['role', 'How can I help you today?'],
  ['role', 'Thank you for your interest! Our manager will contact you.'],
  ['role', 'Manager: it costs 4200 euros'],
  ['role', 'How much is it?\nus: From 4200 euros.'],
  ['role', 'ok. A kitchen of three metres costs from 4200 euros, and it takes five weeks'],
  ['role', 'Чем могу помочь?'],
  ['role', 'Спасибо за обращение! Наш менеджер вам перезвонит'],
  // The thoughts are written down.
  ['reasoning', 'I should ask about the price now. How much is it?'],
  ['reasoning', 'As the customer, I want to know: how much is it?'],
  ['reasoning', 'The company has asked about the size, so: how much is it?'],
  ['reasoning', 'Here is the message: how much is it?'],
  ['reasoning', 'My persona is curt. Price?'],
  ['reasoning', 'Мне нужно спросить цену. Сколько стоит?'],
  ['reasoning', '{"messages": ["How much is it?"]}'],
  ['reasoning', 'As an AI language model I cannot buy a kitchen'],
  // The talk is ended too early.
  ['early_end', 'How much is it? ###STOP###'],
  ['early_end', '[END]'],
  ['early_end', 'Thanks, goodbye!'],
  ['early_end', "No, I'm not interested"],
  ['early_end', "Great, I'll take it!"],
  ['early_end', 'Stop writing to me'],
  ['early_end', 'Can I talk to a real person?'],
  ['early_end', 'Спасибо, до свидания'],
  ['early_end', 'Отлично, беру!'],
  ['empty', '<think>What would they say?</think>'],
  ['empty', '   '],
  ['long', 'How much is it? '.repeat(80)],
])('finds %s: %s', (fault, text) => {
  expect(faultOf(text)).toBe(fault);
});

test.each([
  'How much is it?',
  'hi, whats the price',
  'Сколько стоит, скажите пожалуйста?',
  'Hello! And does it come with a guarantee? We have 12 m2',
  'ok',
  '👍 and the price?',
  'It takes five weeks?',
  'I think 4200 euros is a lot. How much is it without the oven?',
  'I need to ask my wife first. How much is it?',
  '?',
])('leaves a customer alone: %s', (text) => {
  expect(faultOf(text)).toBeNull();
});

it('takes out thoughts, directions, the own role and quotation marks', () => {
  expect(
    tidyPlay(['<think>Be curt.</think>*sighs* Lead: "How much?"', '(smiling) ok', '“And when?”', '```\nnotes\n```']),
  ).toEqual(['How much?', 'ok', 'And when?']);
  expect(tidyPlay(['one', 'two', 'three', 'four', 'five'])).toEqual(['one', 'two', 'three', 'four five']);
});

it('allows words of an ending where the step itself holds them', () => {
  const refusal: Beat = { kind: 'object', objection: 'I am not interested in the expensive ones.' };
  expect(faultOf('well I am not interested in the expensive ones', refusal)).toBeNull();
  expect(faultOf('well, too expensive. goodbye', refusal)).toBe('early_end');
  const human: Beat = { kind: 'ask', questions: ['Can I talk to a manager in the showroom?'] };
  expect(faultOf('hi! can I talk to a manager in the showroom?', human)).toBeNull();
});

it('wants an opt-out that the product recognises where the talk ends with one, and only there', () => {
  const end = (ending: 'opts_out' | 'refuses'): Beat => ({ kind: 'end', ending });
  expect(faultOf('I would rather not hear from you', end('opts_out'))).toBe('no_end');
  expect(faultOf('please stop writing to me', end('opts_out'))).toBeNull();
  expect(faultOf('please stop writing to me', end('refuses'))).toBe('early_end');
  expect(faultOf('not interested, bye', end('refuses'))).toBeNull();
});

test.each(['en', 'ru', 'de'])('falls back to words of the step that have no fault: %s', (language) => {
  const steps: Beat[] = [
    ASK,
    { kind: 'react' },
    { kind: 'object', objection: 'Too expensive.' },
    ...(['buys', 'asks_for_human', 'refuses', 'opts_out'] as const).map((ending) => ({ kind: 'end' as const, ending })),
  ];
  for (const beat of steps) expect(findPlayFault(plainWords(beat, language), beat, OURS)).toBeNull();
  expect(plainWords({ kind: 'end', ending: 'opts_out' }, language).map((one) => recogniseOptOut(one))).toContain(
    'certain',
  );
});
