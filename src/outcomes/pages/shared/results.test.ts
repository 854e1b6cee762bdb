import { expect, it } from 'vitest';
import { funnelOf } from '../../funnel.ts';
import type { FunnelOfValue, OutcomeFilter, Reached } from '../../outcomeContract.ts';
import { formatRate } from './RateText.tsx';
import { changeText } from './ResultsTable.tsx';
import { insightsParams, shownRate, textResult } from './results.ts';

const FROM = '2026-09-01';

/** A row of `GET /v1/outcomes/by/{dimension}`: `counts` attempts that reached a name and nothing else. */
function row(filter: Partial<OutcomeFilter>, counts: Partial<Record<Reached | 'nothing', number>>): FunnelOfValue {
  const groups = Object.entries(counts).map(([name, count]) => ({
    reached: new Set(name === 'nothing' ? [] : [name as Reached]),
    count,
    cost: 0.5 * count,
  }));
  return {
    value: JSON.stringify(filter),
    label: '',
    filter: { product_id: 7, started_from: FROM, ...filter },
    ...funnelOf(groups),
    previous: null,
  };
}

const items = [
  row({ prepared_message_id: [3] }, { answered: 12, nothing: 28 }),
  row({ text_prompt_id: [3], text_prompt_version: [1] }, { answered: 10, qualified: 5, nothing: 10 }),
  row({ text_prompt_id: [3], text_prompt_version: [2] }, { answered: 2, nothing: 3 }),
  row({ without: ['first_text'] }, { answered: 100 }),
];

it('adds up the versions of a text, and tells a message from a prompt with the same id', () => {
  const prompt = textResult(items, { kind: 'text_prompt', id: 3 });
  expect([prompt.attempts, prompt.answered?.count, prompt.qualified.count]).toEqual([30, 12, 5]);
  expect(prompt.qualified.rate).toBeCloseTo(5 / 30);
  expect(prompt.qualified.tooFew).toBe(false);
  expect(prompt.filter).toEqual({ product_id: 7, started_from: FROM, text_prompt_id: [3] });
  const message = textResult(items, { kind: 'prepared_message', id: 3 });
  expect([message.attempts, message.answered?.count]).toEqual([40, 12]);
});

it('gives a prompt that answers no rate of answers, and a text without attempts no rate at all', () => {
  const answering = [row({ prompt_id: [1], prompt_version: [4] }, { answered: 29 })];
  const result = textResult(answering, { kind: 'prompt', id: 1 });
  expect(result).toMatchObject({ attempts: 29, answered: null, qualified: { count: 0, tooFew: true } });
  expect(textResult(answering, { kind: 'prompt', id: 2 })).toMatchObject({ attempts: 0, qualified: { rate: null } });
});

it('links a rate to the attempts that are counted, as the page reads its filters', () => {
  const [first] = items;
  if (!first) throw new Error('There are rows');
  expect(insightsParams(shownRate(first, 'answered', first.filter).filter)).toEqual({
    started_from: FROM,
    prepared_message_id: '3',
    reached: 'answered',
  });
  const narrowed = { product_id: 7, reached: ['answered' as const], model: ['openai/a,b'] };
  expect(insightsParams(shownRate(first, 'qualified', narrowed).filter)).toEqual({
    reached: 'answered,qualified',
    model: 'openai/a%2Cb',
  });
});

it('compares with the period before only where both have enough attempts', () => {
  const [many, , few] = items;
  if (!many || !few) throw new Error('There are rows');
  const before = row({}, { answered: 20, nothing: 20 });
  expect(changeText(many, before)).toBe(
    'Answered 30 %, in the 90 days before 50 %. Qualified 0 %, in the 90 days before 0 %.',
  );
  expect(changeText(many, few)).toBeNull();
  expect(changeText(many, null)).toBeNull();
});

it('formats rates in whole percent, and small ones with a decimal', () => {
  expect([0, 0.004, 0.0964, 0.31, 1].map(formatRate)).toEqual(['0 %', '0.4 %', '9.6 %', '31 %', '100 %']);
});
