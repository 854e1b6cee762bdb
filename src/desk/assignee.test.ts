/** Dialogues whose operator cannot see them any more: the others see them again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operators } from '../access/accountContract.ts';
import { companies } from '../companies/contract.ts';
import { setOwner } from '../conversations/contract.ts';
import { products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { assignDialogue, countInbox, type InboxRow, listColleagues, listInbox } from './contract.ts';

let world: World;
let admin: Client;
let anna: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator('olga');
  anna = await world.operator('anna', [world.companyId]);
});
afterAll(() => world.close());

async function operatorId(login: string): Promise<number> {
  const { rows } = await world.pool.query<{ id: string }>('select id from operators where login = $1', [login]);
  return Number(rows[0]?.id);
}

/** What Needs me shows an operator of a dialogue. */
async function needsMe(client: Client, id: number): Promise<InboxRow | undefined> {
  const { body } = await client.call(listInbox, { query: { view: 'needs_me' } });
  return (body as { items: InboxRow[] }).items.find((row) => row.id === id);
}

/** A dialogue whose lead waits for a person. */
async function waitingDialogue(name: string): Promise<number> {
  const lead = await world.lead(name);
  const id = await lead.dialogueId();
  await anna.call(setOwner, { params: { id }, body: { owner: 'human' } });
  await lead.writes('Are you there?');
  await world.waitUntil(async () => (await needsMe(anna, id)) !== undefined, `${name} waits`);
  return id;
}

const assign = async (id: number, operator: number) =>
  (await anna.call(assignDialogue, { params: { id }, body: { operator_id: operator } })).status;

describe('an operator with assigned dialogues', () => {
  it.each([
    ['is disabled', { is_active: false }],
    ['has lost the company', { company_ids: [] }],
  ])('leaves them to the others when the operator %s', async (what, body) => {
    const id = await waitingDialogue(`Of one who ${what}`);
    const login = what.replaceAll(' ', '-');
    const boris = await world.operator(login, [world.companyId]);
    const borisId = await operatorId(login);
    expect(await assign(id, borisId)).toBe(200);
    expect(await needsMe(boris, id)).toBeDefined();
    expect(await needsMe(anna, id)).toBeUndefined();
    expect((await admin.call(operators.change, { params: { id: borisId }, body })).status).toBe(200);
    expect(await needsMe(anna, id)).toMatchObject({ assignee: null });
    expect((await anna.call(countInbox)).body).toMatchObject({ mine: expect.any(Number), unassigned: 1 });
    const { rows } = await world.pool.query(
      `select operator, before, after from audit where noun = 'dialogue' and row_id = $1 order by id desc limit 1`,
      [id],
    );
    expect(rows).toEqual([{ operator: 'olga', before: { assignee_id: borisId }, after: { assignee_id: null } }]);
    expect(await assign(id, await operatorId('anna'))).toBe(200);
  });

  it('leaves them to the others when admins disable themselves', async () => {
    const id = await waitingDialogue('Of an admin');
    const leaving = await world.operator('leaving');
    const leavingId = await operatorId('leaving');
    expect(await assign(id, leavingId)).toBe(200);
    expect(
      (await leaving.call(operators.change, { params: { id: leavingId }, body: { is_active: false } })).status,
    ).toBe(200);
    expect(await needsMe(anna, id)).toMatchObject({ assignee: null });
  });

  it('keeps those that the operator can still see', async () => {
    const id = await waitingDialogue('Kept');
    const boris = await world.operator('boris', [world.companyId]);
    const params = { id: await operatorId('boris') };
    await assign(id, params.id);
    await admin.call(operators.change, { params, body: { role: 'admin' } });
    await admin.call(operators.change, { params, body: { role: 'member', company_ids: [world.companyId] } });
    expect(await needsMe(boris, id)).toMatchObject({ assignee: 'boris' });
  });

  it('gets none while being disabled', async () => {
    const id = await waitingDialogue('Late');
    await world.operator('late', [world.companyId]);
    const lateId = await operatorId('late');
    const disabling = await world.pool.connect();
    await disabling.query('begin');
    await disabling.query('select from operators where id = $1 for update', [lateId]);
    await disabling.query('update operators set is_active = false where id = $1', [lateId]);
    const status = assign(id, lateId);
    await world.waitUntil(
      async () => (await world.pool.query('select from pg_locks where not granted')).rows.length > 0,
      'the assignment waits',
    );
    await disabling.query('commit');
    disabling.release();
    expect(await status).toBe(409);
  });
});

it('offers those who can see all of the products', async () => {
  const create = async (reply: Promise<{ body: unknown }>) => ((await reply).body as { id: number }).id;
  const company = await create(admin.call(companies.create, { body: { name: 'Boats Ltd' } }));
  const boats = await create(admin.call(products.create, { body: { name: 'Boats', company_id: company } }));
  await world.operator('both', [world.companyId, company]);
  const offered = async (...productIds: number[]) => {
    const { body } = await admin.call(listColleagues, { query: { product_id: productIds } });
    return (body as { items: { login: string }[] }).items.map(({ login }) => login);
  };
  expect(await offered(world.productId)).toEqual(expect.arrayContaining(['anna', 'both', 'olga']));
  const ofBoth = await offered(world.productId, boats);
  expect(ofBoth).toEqual(expect.arrayContaining(['both', 'olga']));
  expect(ofBoth).not.toContain('anna');
});
