import { expect, it } from 'vitest';
import { isOlder, rebaseDraft } from './useDraft.tsx';

const plain = ({ steps }: { steps: { key: number; minutes: number }[] }) => steps.map(({ minutes }) => minutes);
const draft = (...minutes: number[]) => ({ steps: minutes.map((one) => ({ key: Math.random(), minutes: one })) });

it('shows the stored value while it equals what was sent, and keeps input typed meanwhile', () => {
  const stored = draft(60, 90);
  expect(rebaseDraft({ typed: draft(60, 90), submitted: draft(60, 90), stored }, plain)).toBe(stored);
  const typed = draft(60, 900);
  expect(rebaseDraft({ typed, submitted: draft(60, 90), stored }, plain)).toBe(typed);
});

it('takes a reloaded row for older by its version, unless it is another row', () => {
  const saved = { id: 3, version: 2, revision: 4 };
  expect(isOlder({ id: 3, version: 2, revision: 3 }, saved)).toBe(true);
  expect(isOlder({ id: 3, version: 1, revision: 5 }, saved)).toBe(false);
  expect(isOlder(saved, saved)).toBe(false);
  // Deleted and created again.
  expect(isOlder({ id: 4, version: 1, revision: 1 }, saved)).toBe(false);
  expect([isOlder(null, saved), isOlder(saved, null), isOlder({ id: 3 }, saved)]).toEqual([false, false, false]);
});
