import { expect, it } from 'vitest';
import { describeProductCascade } from './cascadeCounts.ts';

const NOTHING = { leads: 0, prompts: 0, groups: 0, prepared: 0, documents: 0, links: 0, webhooks: 0 };

it('counts what is deleted with a product, and names leads that prevent it', () => {
  expect(describeProductCascade(NOTHING)).toBe('Also deleted: schedule, follow-ups and settings.');
  const some = { ...NOTHING, prompts: 1, prepared: 3, links: 1, webhooks: 1 };
  expect(describeProductCascade(some)).toBe(
    'Also deleted: 1 prompt, 3 prepared messages, 1 link to a channel, 1 webhook, schedule, follow-ups and settings.',
  );
  expect(describeProductCascade({ ...some, leads: 2 })).toBe(
    '2 leads are in the way: a product that has leads is not deleted.',
  );
});
