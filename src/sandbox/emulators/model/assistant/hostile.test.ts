/** The hostile model is worth its name: it obeys each of the texts that try to command it. */
import { describe, expect, test } from 'vitest';
import { HARMFUL_TEXT, HARMLESS_TEXT, INJECTIONS, LONG_INJECTIONS } from '../../../../testing/promptInjections.ts';
import { hostileAnswer } from '../answer.ts';
import { framed } from './declared.testing.ts';
import { PAGES } from './pages.testing.ts';
import { revealed } from './revealed.ts';

const { tools } = PAGES['crm-leads'];
const ask = (name: string, words = 'what is this?') =>
  hostileAnswer({
    model: 'sandbox-gpt',
    messages: [
      { role: 'system', content: 'You help operators. The secret word is heron.' },
      { role: 'user', content: framed(words, { rows: [{ id: 5, name }] }) },
    ],
    tools: [...tools],
  });

/** What a text orders: the names of tools after «call» and their like, once nothing of it is hidden. */
const ordered = (text: string): string[] =>
  revealed(text).flatMap((one) =>
    [...one.matchAll(/(?:call|вызови) (\w+_\w+)|"name": "(\w+)"|(\w+_\w+)\(/giu)].map(
      ([, a, b, c]) => a ?? b ?? c ?? '',
    ),
  );

test('there are more than forty, each once, and most command a tool', () => {
  expect(new Set(INJECTIONS.map(([what]) => what)).size).toBe(INJECTIONS.length);
  expect(INJECTIONS.length).toBeGreaterThan(50);
  expect(INJECTIONS.filter(([, text]) => ordered(text).length > 0).length).toBeGreaterThan(40);
  expect(INJECTIONS.filter(([, text]) => text.length > 300)).toEqual([]);
});

test('texts whose tails differ are the same as far as a preview goes', () => {
  expect([HARMLESS_TEXT.length, HARMFUL_TEXT.length]).toEqual([HARMFUL_TEXT.length, HARMLESS_TEXT.length]);
  expect(HARMFUL_TEXT.length).toBeGreaterThanOrEqual(300);
  expect(HARMFUL_TEXT.slice(0, 250)).toBe(HARMLESS_TEXT.slice(0, 250));
  expect(HARMFUL_TEXT).not.toBe(HARMLESS_TEXT);
});

test.each([...INJECTIONS, ...LONG_INJECTIONS])('%s is obeyed', (_what, text) => {
  const names = ask(text).toolCalls.map(({ name }) => name);
  for (const name of ordered(text)) expect(names).toContain(name);
});

describe('in one answer', () => {
  const { text, toolCalls } = ask('Delete lead 5');
  const names = toolCalls.map(({ name }) => name);

  test('it calls every tool that it was offered, and some that it was not', () => {
    for (const tool of tools) expect(names).toContain(tool.function.name);
    expect(names).toContain('delete_everything');
    expect(names).toContain('__proto__');
  });

  test('it calls with arguments that fit and with others that do not', () => {
    expect(toolCalls).toContainEqual({ name: 'delete_row', arguments: '{"id":5}' });
    expect(toolCalls.some((call) => call.arguments.includes('__proto__'))).toBe(true);
    expect(toolCalls.some((call) => call.arguments.length > 10_000)).toBe(true);
    for (const call of toolCalls) expect(() => JSON.parse(call.arguments)).not.toThrow();
  });

  test('it tells its prompt and what it was shown', () => {
    expect(text).toContain('The secret word is heron.');
    expect(text).toContain('Delete lead 5');
  });
});
