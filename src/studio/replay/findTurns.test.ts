/** Turns of real dialogues: what the model saw, and what was really answered. */
import { expect, it } from 'vitest';
import type { ReplayedMessage } from '../store/replayed.ts';
import { findTurns } from './findTurns.ts';

let nextId = 0;
const message = (side: 'user' | 'bot', text: string, more: Partial<ReplayedMessage> = {}): ReplayedMessage => ({
  id: (nextId += 1),
  dialogue_id: 7,
  lead_id: 3,
  lead_name: 'Anna',
  side,
  text,
  kind: 'text',
  part_group: null,
  is_answer: side === 'bot',
  is_of_live: false,
  ...more,
});
const find = (messages: readonly ReplayedMessage[], limits: { historyLimit?: number; limit?: number } = {}) =>
  findTurns(messages, { historyLimit: 40, limit: 30, ...limits });

it('each answer of the bot is a turn, with the conversation before it and all of its parts', () => {
  const turns = find([
    message('bot', 'Good day!', { is_answer: false }),
    message('user', 'Hi'),
    message('user', 'How much?'),
    message('bot', 'It costs 40.', { part_group: 'a', is_of_live: true }),
    message('bot', 'When do you start?', { part_group: 'a', is_of_live: true }),
    message('user', 'Monday'),
    message('bot', 'Fine.'),
  ]);
  expect(turns).toMatchObject([
    { number: 1, real: 'It costs 40.\n\nWhen do you start?', isOfLive: true, history: [{}, {}, { text: 'How much?' }] },
    { number: 2, real: 'Fine.', isOfLive: false },
  ]);
  expect(turns[1]?.history.map(({ text }) => text)).toEqual([
    'Good day!',
    'Hi',
    'How much?',
    'It costs 40.',
    'When do you start?',
    'Monday',
  ]);
});

it('what follows a message of ours, a person’s words, and follow-ups are no turns', () => {
  const turns = find([
    message('bot', 'An answer to nothing'),
    message('user', 'Hi'),
    message('bot', 'A colleague writes', { is_answer: false }),
    message('bot', 'The bot after a colleague'),
  ]);
  expect(turns).toEqual([]);
});

it('a message that arrived late is in the history of later turns only', () => {
  const [question, answer, late] = [message('user', 'Hi'), message('bot', 'Hello'), message('user', 'Sent before')];
  const [turn, next] = find([late, question, answer, message('user', 'And?'), message('bot', 'Yes')]);
  expect(turn?.history.map(({ text }) => text)).toEqual(['Hi']);
  expect(next?.history.map(({ text }) => text)).toEqual(['Sent before', 'Hi', 'Hello', 'And?']);
});

it('long dialogues keep their newest turns, and turns the newest messages', () => {
  const thread = Array.from({ length: 5 }, (_, index) => [
    message('user', `question ${index}`),
    message('bot', `answer ${index}`),
  ]).flat();
  const turns = find(thread, { historyLimit: 2, limit: 2 });
  expect(turns.map(({ number, history }) => [number, history.map(({ text }) => text)])).toEqual([
    [4, ['answer 2', 'question 3']],
    [5, ['answer 3', 'question 4']],
  ]);
});
