import { afterEach, expect, it, vi } from 'vitest';
import { contactCascadeCounts, leadCascadeCounts } from './cascadeCounts.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('counts the dialogues deleted with contacts', async () => {
  let each = 2;
  vi.stubGlobal('fetch', async (address: string) => {
    const asked = new URL(address, 'http://console.test').searchParams.getAll('contact_id');
    return Response.json({ items: [], total: each * asked.length, page: 1, limit: 1 });
  });
  expect(await contactCascadeCounts([5, 6])).toBe('Also deleted: 4 dialogues with their messages.');
  each = 0;
  expect(await contactCascadeCounts([5])).toBeNull();
});

it('counts what holds a lead’s words in the prompt studio too, where there is any', async () => {
  const totals: Record<string, number> = {
    '/v1/contacts/': 1,
    '/v1/dialogues/': 2,
    '/v1/studio/cases/': 3,
    '/v1/studio/judge/pairs': 4,
  };
  vi.stubGlobal('fetch', async (address: string) => {
    const { pathname, searchParams } = new URL(address, 'http://console.test');
    expect(searchParams.get('lead_id')).toBe('7');
    return Response.json({ items: [], total: totals[pathname], page: 1, limit: 1 });
  });
  const lead = { id: 7, product_id: 3 };
  expect(await leadCascadeCounts(lead)).toBe(
    'Also deleted: 1 contact, 2 dialogues with their messages, 3 test cases, 4 pairs for the judge, and its events.',
  );
  Object.assign(totals, { '/v1/studio/cases/': 0, '/v1/studio/judge/pairs': 0 });
  expect(await leadCascadeCounts(lead)).toBe(
    'Also deleted: 1 contact, 2 dialogues with their messages, and its events.',
  );
});
