import { expect, it } from 'vitest';
import { PRODUCTS } from '../demoContent.ts';
import { simulate } from './rows.ts';

it('simulates the half year at every hour of a week, and nothing that is still to come', () => {
  const content = PRODUCTS[0];
  if (!content) throw new Error('The demo has a product');
  // Every hour of the day is met, each on several weekdays, at minutes that differ.
  for (let hour = 0; hour < 7 * 24; hour += 5) {
    const now = Date.UTC(2026, 10, 23, hour, (hour * 13) % 60);
    const prompt = { versions: [{ version: 1, since: 0 }] };
    const { stories, experiments } = simulate({ content, prompt } as Parameters<typeof simulate>[0], now);
    expect(stories.length).toBeGreaterThan(1500);
    const lastMessage = Math.max(...stories.flatMap(({ messages }) => messages.map(({ at }) => at)));
    expect(lastMessage).toBeLessThanOrEqual(now);
    // Whatever the hour, the demo tells the same of its experiments.
    const { firstText, prompt: running } = experiments;
    expect(firstText.end?.conclusion).toMatch(/^Ask for the wall is better \(/);
    expect(firstText.analyses.at(-1)?.at).toBe(firstText.end?.at);
    expect(running.end).toBeNull();
    expect(running.analyses.length).toBeGreaterThan(0);
    for (const { sentence } of running.analyses) expect(sentence).toMatch(/^too early: about \d+ more attempts$/);
  }
});
