import { afterEach, expect, it, vi } from 'vitest';
import { contactCascadeCounts } from './cascadeCounts.ts';

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
