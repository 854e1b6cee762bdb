import { expect, it } from 'vitest';
import { rebaseDraft } from './useDraft.tsx';

const plain = ({ steps }: { steps: { key: number; minutes: number }[] }) => steps.map(({ minutes }) => minutes);
const draft = (...minutes: number[]) => ({ steps: minutes.map((one) => ({ key: Math.random(), minutes: one })) });

it('shows the stored value while it equals what was sent, and keeps input typed meanwhile', () => {
  const stored = draft(60, 90);
  expect(rebaseDraft({ typed: draft(60, 90), submitted: draft(60, 90), stored }, plain)).toBe(stored);
  const typed = draft(60, 900);
  expect(rebaseDraft({ typed, submitted: draft(60, 90), stored }, plain)).toBe(typed);
});
