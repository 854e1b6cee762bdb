/** Tags, owners and imports of leads, and the lists that are narrowed by them. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type BulkAction, countBulk, runBulk } from './bulkContract.ts';
import { type Lead, leads } from './contract.ts';
import { importLeads, undoImport } from './importContract.ts';
import { type LeadImport, leadFacets, leadImports, leadOwners } from './listContract.ts';

let world: World;
let admin: Client;
let member: Client;
const idOf = async (login: string) =>
  Number((await world.pool.query<{ id: string }>('select id from operators where login = $1', [login])).rows[0]?.id);
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator('root');
  member = await world.operator('mia', [world.companyId]);
});
afterAll(() => world.close());

const create = async (body: Record<string, unknown>) => {
  const answer = await admin.call(leads.create, {
    body: { product_id: world.productId, name: 'Ada', ...body },
  });
  expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
  return answer.body as Lead;
};
const find = async (query: Record<string, unknown>) => {
  const answer = await admin.call(leads.list, { query: { product_id: [world.productId], order: 'asc', ...query } });
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return (answer.body as { items: Lead[] }).items.map(({ name }) => name);
};

describe('a lead', () => {
  it('keeps tags and owner that a PUT leaves out, and changes its version with them', async () => {
    const lead = await create({ tags: [' VIP ', 'vip', 'Fair 2026'], owner_id: await idOf('mia') });
    expect(lead).toMatchObject({ tags: ['VIP', 'Fair 2026'], owner: 'mia', import_id: null });
    const params = { id: lead.id };
    const renamed = await admin.call(leads.replace, { params, body: { name: 'Ada B' } });
    expect(renamed.body).toMatchObject({ name: 'Ada B', tags: ['VIP', 'Fair 2026'], owner: 'mia' });
    const untagged = await admin.call(leads.change, { params, body: { tags: [], owner_id: null } });
    expect(untagged.body).toMatchObject({ tags: [], owner_id: null, version: lead.version + 2 });
  });

  it('has at most 20 tags of at most 40 characters, without commas', async () => {
    for (const tags of [Array.from({ length: 21 }, (_none, index) => `t${index}`), ['x'.repeat(41)], ['a,b'], [' ']])
      expect((await admin.call(leads.create, { body: { product_id: world.productId, name: 'Bo', tags } })).status).toBe(
        422,
      );
  });

  it('is owned by an operator with access to its product only', async () => {
    const { rows } = await world.pool.query<{ id: string }>(
      "insert into companies (name) values ('Other') returning id",
    );
    await world.operator('olaf', [Number(rows[0]?.id)]);
    const body = { product_id: world.productId, name: 'Cy', owner_id: await idOf('olaf') };
    expect((await admin.call(leads.create, { body })).status).toBe(409);
    // A member does not learn that this operator exists.
    expect((await member.call(leads.create, { body })).status).toBe(404);
    const lead = await create({ name: 'Cy' });
    const action: BulkAction = { kind: 'set_owner', owner_id: body.owner_id };
    expect((await admin.call(runBulk, { body: { ids: [lead.id], action } })).status).toBe(409);
    const owners = (await member.call(leadOwners, { query: { product_id: world.productId } })).body;
    expect(owners).toMatchObject({ owners: [{ login: 'mia' }, { login: 'root' }] });
  });
});

describe('the list', () => {
  it('is narrowed by tag without case, owner, CRM fields, and what outreach does next', async () => {
    await create({
      name: 'Tag A',
      tags: ['Riga'],
      owner_id: await idOf('mia'),
      crm_fields: { city: 'Riga', budget: 5000 },
    });
    await create({ name: 'Tag B', tags: ['riga', 'x'], crm_fields: { city: ['Riga', 'Oslo'], budget: '50' } });
    await create({ name: 'Tag C', tags: ['oslo'], crm_fields: { city: 'Oslo', 'a=b': '100%' } });
    expect(await find({ tag: ['RIGA'] })).toEqual(['Tag A', 'Tag B']);
    expect(await find({ tag: ['riga', 'OSLO'] })).toEqual(['Tag A', 'Tag B', 'Tag C']);
    expect(await find({ owner_id: [await idOf('mia')] })).toEqual(['Tag A']);
    expect(await find({ has_owner: [false], tag: ['riga'] })).toEqual(['Tag B']);
    expect(await find({ crm_field: ['city=Riga'] })).toEqual(['Tag A', 'Tag B']);
    expect(await find({ crm_field: ['city=Riga', 'city=Oslo'] })).toEqual(['Tag A', 'Tag B', 'Tag C']);
    expect(await find({ crm_field: ['city=Riga', 'budget=5000'] })).toEqual(['Tag A']);
    expect(await find({ crm_field: ['budget~=50'] })).toEqual(['Tag A', 'Tag B']);
    expect(await find({ crm_field: ['city~=%'] })).toEqual([]);
    expect(await find({ crm_field: ['a%3Db=100%'] })).toEqual(['Tag C']);
    expect((await admin.fetch('/v1/leads/?crm_field=city')).status).toBe(422);
    expect(await find({ next_action: ['none'], tag: ['oslo'] })).toEqual(['Tag C']);
    expect(await find({ next_action: ['first'], tag: ['oslo'] })).toEqual([]);
    const facets = (await admin.call(leadFacets, { query: { product_id: world.productId } })).body;
    expect(facets).toMatchObject({
      tags: [{ leads: 2 }, { tag: 'oslo' }, { tag: 'x' }],
      crm_fields: ['city', 'budget', 'a=b'],
    });
  });

  it('shows and filters by the last message of a lead', async () => {
    const [anna, boris] = [await world.lead('Anna'), await world.lead('Boris')];
    const say = async (dialogueId: number, by: 'lead' | 'us', at: string) =>
      world.pool.query(
        `update dialogues set last_message = $2, last_msg_created_at = $3, last_user_msg_at = case when $4 then $3::timestamptz end where id = $1`,
        [dialogueId, `by ${by}`, at, by === 'lead'],
      );
    await say(await anna.dialogueId(), 'lead', '2026-03-01T22:30:00Z');
    await say(await boris.dialogueId(), 'us', '2026-03-05T10:00:00Z');
    expect(await find({ last_message_by: ['lead'] })).toEqual(['Anna']);
    expect(await find({ last_message_by: ['us'] })).toEqual(['Boris']);
    expect(await find({ last_message_by: ['lead', 'us'] })).toEqual(['Anna', 'Boris']);
    expect(await find({ last_message_by: ['none'] })).not.toContain('Anna');
    expect(await find({ last_message_from: ['2026-03-02'] })).toEqual(['Boris']);
    // Half past midnight on the second day in Riga.
    const riga = { created_timezone: 'Europe/Riga' };
    expect(await find({ last_message_from: ['2026-03-02'], last_message_to: ['2026-03-02'], ...riga })).toEqual([
      'Anna',
    ]);
    const optOut = (leadId: number, at: string) =>
      world.pool.query(
        `with opted as (update leads set is_active = false, recognized_deactivation_request = true where id = $1 returning id, product_id)
         insert into lead_events (lead_id, product_id, event_type, created_at) select id, product_id, 'deactivated', $2 from opted`,
        [leadId, at],
      );
    await optOut(boris.leadId, '2026-03-06T22:30:00Z');
    expect(await find({ opted_out_from: ['2026-03-06'], opted_out_to: ['2026-03-06'] })).toEqual(['Boris']);
    expect(await find({ opted_out_from: ['2026-03-07'] })).toEqual([]);
    expect(await find({ opted_out_to: ['2026-03-05'] })).toEqual([]);
    expect(await find({ opted_out_from: ['2026-03-07'], opted_out_to: ['2026-03-07'], ...riga })).toEqual(['Boris']);
    await world.pool.query(`update outreach set reason = '{"code": "skipped"}' where lead_id = $1`, [anna.leadId]);
    expect(await find({ next_reason: ['skipped'] })).toEqual(['Anna']);
    const listed = await admin.fetch(
      `/v1/leads/?id=${anna.leadId}&with_last_message=true&with_last_message_at=true&with_last_message_by=true&with_next_reason=true`,
    );
    expect(await listed.json()).toMatchObject({
      items: [
        {
          last_message: 'by lead',
          last_message_at: '2026-03-01T22:30:00.000Z',
          last_message_by: 'lead',
          next_reason: { code: 'skipped' },
        },
      ],
    });
  });
});

describe('many leads', () => {
  it('get and lose tags, and get an owner, after a count that changes nothing, with an audit entry each', async () => {
    const one = await create({ name: 'Many A', tags: ['old'] });
    const other = await create({ name: 'Many B', tags: ['OLD', 'new'] });
    const third = await create({ name: 'Many C', tags: Array.from({ length: 20 }, (_none, index) => `t${index}`) });
    const ids = [one.id, other.id, third.id];
    const action: BulkAction = { kind: 'change_tags', add: ['new'], remove: ['Old'] };
    expect((await member.call(countBulk, { body: { ids, action } })).body).toMatchObject({ leads: 3, affected: 2 });
    expect((await member.call(runBulk, { body: { ids, action } })).body).toEqual({ affected: 2 });
    const tagsOf = async (id: number) => ((await admin.call(leads.get, { params: { id } })).body as Lead).tags;
    expect([await tagsOf(one.id), await tagsOf(other.id), (await tagsOf(third.id)).length]).toEqual([
      ['new'],
      ['new'],
      20,
    ]);
    expect((await member.call(runBulk, { body: { ids, action } })).body).toEqual({ affected: 0 });
    const owning: BulkAction = { kind: 'set_owner', owner_id: await idOf('mia') };
    expect((await member.call(runBulk, { body: { ids, action: owning } })).body).toEqual({ affected: 3 });
    const { rows } = await world.pool.query(
      `select action, before, after from audit where noun = 'lead' and row_id = $1 and operator = 'mia' order by id`,
      [one.id],
    );
    expect(rows).toEqual([
      { action: 'tags changed', before: { tags: ['old'] }, after: { tags: ['new'] } },
      { action: 'owner changed', before: { owner_id: null }, after: { owner_id: owning.owner_id } },
    ]);
  });
});

describe('an import', () => {
  it('has a row, gives tags by column, for all and by rule, and ends with its undo', async () => {
    await admin.call(products.change, {
      params: { id: world.productId },
      body: {
        tag_rules: [
          { field: 'budget', operator: 'equals', value: '9000', tag: 'Big' },
          { field: 'name', operator: 'contains', value: 'ltd', tag: 'Company' },
        ],
      },
    });
    const key = randomUUID();
    const body = {
      product_id: world.productId,
      import_key: key,
      name: 'fair.csv',
      tags: ['Fair'],
      rows: [
        { line: 2, name: 'Import Ltd', whatsapp: '+37120000001', tags: 'hot, HOT, fair', crm_fields: { budget: 9000 } },
        { line: 3, name: 'Import Bo', whatsapp: '+37120000002', tags: 'x'.repeat(41) },
      ],
    };
    const first = (await member.call(importLeads, { body })).body as { rows: { lead_id: number | null }[] };
    expect(first).toMatchObject({
      rows: [{ outcome: 'created' }, { outcome: 'invalid', errors: [{ field: 'tags' }] }],
    });
    const imports = async () =>
      (
        (await admin.call(leadImports.list, { query: { product_id: [world.productId] } })).body as {
          items: LeadImport[];
        }
      ).items;
    const [row] = await imports();
    expect(row).toMatchObject({ name: 'fair.csv', operator: 'mia', leads: 1, import_key: key });
    expect(await find({ import_id: [row?.id] })).toEqual(['Import Ltd']);
    const lead = (await admin.call(leads.get, { params: { id: first.rows[0]?.lead_id ?? 0 } })).body;
    expect(lead).toMatchObject({ tags: ['hot', 'fair', 'Big', 'Company'], import_name: 'fair.csv' });
    // The same call again, as after a lost answer.
    expect((await member.call(importLeads, { body })).body).toMatchObject({ rows: [{ outcome: 'created' }, {}] });
    expect((await imports()).length).toBe(1);
    const undo = { product_id: world.productId, import_key: key };
    expect((await member.call(undoImport, { body: undo })).body).toEqual({ removed: 1, kept: 0 });
    expect(await imports()).toEqual([]);
  });
});
