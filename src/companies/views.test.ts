/** Saved views: who sees, changes and deletes them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { changeView, deleteView, type SavedView, savedViews, saveView } from './viewContract.ts';

let world: World;
let mia: Client;
let noah: Client;
let admin: Client;
let foreign: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  const { rows } = await world.pool.query<{ id: string }>("insert into companies (name) values ('Other') returning id");
  mia = await world.operator('mia', [world.companyId]);
  noah = await world.operator('noah', [world.companyId]);
  foreign = await world.operator('olaf', [Number(rows[0]?.id)]);
  admin = await world.operator('root');
});
afterAll(() => world.close());

const of = () => ({ params: { id: world.companyId } });
const save = async (client: Client, name: string, shared = false) =>
  (await client.call(saveView, { ...of(), body: { page: 'crm-leads', name, params: { stage: 'ongoing' }, shared } }))
    .body as SavedView;
const seenBy = async (client: Client) => {
  const { body } = await client.call(savedViews, { ...of(), query: { page: 'crm-leads' } });
  return (body as { views: SavedView[] }).views.map(({ name }) => name);
};

it('is seen by its author, and by the members of the company once it is shared', async () => {
  const view = await save(mia, 'Hot');
  expect(view).toMatchObject({ params: { stage: 'ongoing' }, shared: false, operator: 'mia', own: true });
  expect([await seenBy(mia), await seenBy(noah), await seenBy(admin)]).toEqual([['Hot'], [], []]);
  const params = { id: view.id };
  expect((await admin.call(changeView, { params, body: { shared: true } })).status).toBe(404);
  expect((await mia.call(changeView, { params, body: { shared: true } })).body).toMatchObject({
    shared: true,
    name: 'Hot',
  });
  expect([await seenBy(noah), await seenBy(admin)]).toEqual([['Hot'], ['Hot']]);
  expect((await foreign.call(savedViews, { ...of(), query: { page: 'crm-leads' } })).status).toBe(404);
  const other = await mia.call(savedViews, { ...of(), query: { page: 'crm-dialogues' } });
  expect(other.body).toEqual({ views: [] });
});

it('is not overwritten unseen: a change that was based on another version is refused', async () => {
  const view = await save(mia, 'Versioned', true);
  const change = (client: Client, state: Record<string, string>, version: number) =>
    client.fetch(`/v1/views/${view.id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'if-match': `"${version}"` },
      body: JSON.stringify({ params: state }),
    });
  const first = await change(admin, { stage: 'pending' }, view.version);
  expect(first.status).toBe(200);
  expect(await first.json()).toMatchObject({ params: { stage: 'pending' }, version: view.version + 1 });
  expect(first.headers.get('etag')).toBe(`"${view.version + 1}"`);
  const second = await change(mia, { stage: 'success' }, view.version);
  expect(second.status).toBe(409);
  expect(await second.json()).toMatchObject({ detail: expect.stringContaining('Changed by root') });
  expect((await change(mia, { stage: 'success' }, view.version + 1)).status).toBe(200);
});

it('is changed and deleted by its author and by admins only', async () => {
  const { id } = await save(mia, 'Shared', true);
  const params = { id };
  for (const client of [noah, foreign]) {
    const status = client === noah ? 403 : 404;
    expect((await client.call(changeView, { params, body: { name: 'Mine' } })).status).toBe(status);
    expect((await client.call(deleteView, { params })).status).toBe(status);
  }
  const renamed = await admin.call(changeView, { params, body: { name: 'Renamed', params: { search: 'ada' } } });
  expect(renamed.body).toMatchObject({
    name: 'Renamed',
    params: { search: 'ada' },
    shared: true,
    operator: 'mia',
    own: false,
  });
  expect((await mia.call(deleteView, { params })).status).toBe(204);
  expect(await seenBy(noah)).not.toContain('Renamed');
  const { rows } = await world.pool.query(
    "select action, operator from audit where noun = 'saved_view' and row_id = $1 order by id",
    [id],
  );
  expect(rows).toEqual([
    { action: 'created', operator: 'mia' },
    { action: 'changed', operator: 'root' },
    { action: 'deleted', operator: 'mia' },
  ]);
});
