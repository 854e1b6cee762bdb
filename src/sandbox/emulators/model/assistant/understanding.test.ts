/** Each tool of the console, asked for in plain words in at least three ways. */
import { describe, expect, test } from 'vitest';
import { answerTo } from '../answer.ts';
import { framed } from './declared.testing.ts';
import { PAGES } from './pages.testing.ts';
import { WISHES } from './wishes.testing.ts';

describe.each(Object.entries(PAGES))('on %s', (key, { tools, data }) => {
  const wishes = Object.entries(WISHES).find(([page]) => page === key)?.[1] ?? {};

  test('every tool of its own has three phrasings', () => {
    const shared = ['open_page', 'find', 'show_list', 'open_row', 'delete_row'];
    const own = tools.map((tool) => tool.function.name).filter((name) => !shared.includes(name));
    expect(own.filter((name) => (wishes[name]?.length ?? 0) < 3)).toEqual([]);
  });

  const cases = Object.entries(wishes).flatMap(([name, all]) =>
    all.map(([words, args = {}]) => ({ words, name, args })),
  );
  test.each(cases)('$words → $name', ({ words, name, args }) => {
    const request = {
      model: 'sandbox-gpt',
      messages: [{ role: 'user' as const, content: framed(words, data) }],
      tools: [...tools],
    };
    const { toolCalls } = answerTo(request);
    expect(toolCalls.map((call) => ({ name: call.name, args: JSON.parse(call.arguments) }))).toEqual([{ name, args }]);
  });
});
