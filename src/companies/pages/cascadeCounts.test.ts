import { expect, it } from 'vitest';
import { describeCompanyCascade } from './cascadeCounts.ts';

it('counts what is deleted with a company, and names products and channels that prevent it', () => {
  expect(describeCompanyCascade({ products: 0, channels: 0, credentials: 2, integrations: 1, webhooks: 3 })).toBe(
    'Also deleted: 2 LLM credentials, 1 CRM integration and 3 webhooks.',
  );
  expect(describeCompanyCascade({ products: 1, channels: 1, credentials: 0, integrations: 0, webhooks: 0 })).toBe(
    '1 product is in the way: a company that has products is not deleted.',
  );
  expect(describeCompanyCascade({ products: 0, channels: 1, credentials: 0, integrations: 0, webhooks: 0 })).toBe(
    '1 channel is in the way: a company that owns channels is not deleted.',
  );
});
