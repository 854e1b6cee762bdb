import { expect, it } from 'vitest';
import { draftAfter } from './edited.tsx';

const plain = ({ steps }: { steps: { key: number; minutes: number }[] }) => steps.map(({ minutes }) => minutes);
const draft = (...minutes: number[]) => ({ steps: minutes.map((one) => ({ key: Math.random(), minutes: one })) });

it('what is stored stands on the page while it shows what was sent; what was typed meanwhile stays', () => {
  const stored = draft(60, 90);
  expect(draftAfter({ typed: draft(60, 90), shown: draft(60, 90), stored }, plain)).toBe(stored);
  const typed = draft(60, 900);
  expect(draftAfter({ typed, shown: draft(60, 90), stored }, plain)).toBe(typed);
});
