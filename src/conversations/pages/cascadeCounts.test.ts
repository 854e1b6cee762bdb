import { afterEach, expect, it, vi } from 'vitest';
import { dialogueCascadeCounts } from './cascadeCounts.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

it('counts the messages of dialogues, a hundred dialogues a call and no row more than needed', async () => {
  const asked: URL[] = [];
  vi.stubGlobal('fetch', async (address: string) => {
    const url = new URL(address, 'http://console.test');
    asked.push(url);
    return Response.json({ items: [], total: 2 * url.searchParams.getAll('dialogue_id').length, page: 1, limit: 1 });
  });
  const ids = Array.from({ length: 130 }, (_, index) => index + 1);
  expect(await dialogueCascadeCounts(ids)).toBe('Also deleted: 260 messages.');
  expect(asked.map((url) => [url.pathname, url.searchParams.get('limit')])).toEqual([
    ['/v1/messages/', '1'],
    ['/v1/messages/', '1'],
  ]);
});
