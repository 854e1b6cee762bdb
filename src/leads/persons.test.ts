/** National variants of one number are one person, in every look-up by address. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migrate, migrationNames } from '../platform/migrate.ts';
import type { Client } from '../testing/client.ts';
import { hookUrl, inboundItem, postHook } from '../testing/messageRows.ts';
import { cloneTemplate } from '../testing/testServer.ts';
import { createWorld, type World } from '../testing/world.ts';
import { addressVariants, personKey } from './address.ts';
import addresses from './addresses.corpus.json' with { type: 'json' };
import { contacts, leads } from './contract.ts';
import { type ImportedRow, type ImportRow, importLeads } from './importContract.ts';

let world: World;
let operator: Client;
beforeAll(async () => {
  world = await createWorld();
  operator = await world.operator();
});
afterAll(() => world.close());

async function importRows(rows: (Partial<ImportRow> & { line: number })[]): Promise<ImportedRow[]> {
  const { body } = await operator.call(importLeads, {
    body: { product_id: world.productId, import_key: randomUUID(), rows },
  });
  return (body as { rows: ImportedRow[] }).rows;
}

const contactsOf = async (leadId: number | null) =>
  (
    await world.pool.query<{ type: string; contact: string; address: string; is_main: boolean }>(
      'select contact_type as type, contact, address, is_main from contacts where lead_id = $1 order by id',
      [leadId],
    )
  ).rows;

it('has the same key in the database', async () => {
  const stored = addresses.cases.flatMap(({ address }) => address ?? []).flatMap(addressVariants);
  const random = fc.sample(fc.stringMatching(/^(55|52|521|54|549|225|229|7)\d{6,12}$/), 500);
  const all = [...stored, ...random, 'anna_shop', 'id:5511961234567', '200000000000001@lid', ''];
  const { rows } = await world.pool.query<{ key: string }>(
    'select person_key(address) as key from unnest($1::text[]) with ordinality as t (address, n) order by n',
    [all],
  );
  expect(rows.map(({ key }) => key)).toEqual(all.map(personKey));
});

it('is found by indexes of that key', async () => {
  const { rows } = await world.pool.query<{ definition: string }>(
    `select pg_get_indexdef(indexrelid) as definition from pg_index
      where pg_get_indexdef(indexrelid) like '%person_key(%' order by 1`,
  );
  expect(rows.map(({ definition }) => definition.replace(/ USING btree/, ''))).toEqual([
    'CREATE INDEX contacts_person ON public.contacts (person_key(address), contact_type)',
    'CREATE INDEX dialogues_person ON public.dialogues (channel_id, person_key(address))',
    'CREATE UNIQUE INDEX first_messages_person ON public.first_messages (product_id, person_key(address)) WHERE (NOT is_repeat)',
  ]);
});

describe.each([
  ['Brazilian', '+55 11 96123-4501', '551161234501'],
  ['Mexican', '+52 55 1234 5601', '5215512345601'],
  ['Argentinian', '+54 9 11 2345-6701', '541123456701'],
  ['Ivorian', '+225 07 07 12 34 01', '22507123401'],
  ['Beninese', '+229 01 97 12 34 01', '22997123401'],
])('%s number', (_country, typed, variant) => {
  it('is found when the other form writes, and has no second lead', async () => {
    const [row] = await importRows([{ line: 2, name: typed, whatsapp: typed }]);
    expect(row).toMatchObject({ outcome: 'created', errors: [] });
    await postHook(await hookUrl(world), { messages: [inboundItem(world, variant, 'Hello, is it you?')] });
    await world.drain();
    const { rows } = await world.pool.query(
      `select c.lead_id::int, d.chat_id from dialogues d join contacts c on c.id = d.contact_id
        where person_key(d.address) = person_key($1)`,
      [variant],
    );
    expect(rows).toEqual([{ lead_id: row?.lead_id, chat_id: variant }]);
  });

  it('is imported once, and is one contact of a lead', async () => {
    const other = `+${variant}`;
    const rows = await importRows([
      { line: 2, name: 'The same', whatsapp: typed.replace(/01$/, '02') },
      { line: 3, name: 'The same again', telegram: `https://wa.me/${personKey(variant).replace(/01$/, '02')}` },
    ]);
    // Old numbers of eight digits are not valid any more.
    expect(['present', 'invalid']).toContain(rows[1]?.outcome);
    expect(await importRows([{ line: 9, name: 'Known', whatsapp: typed }])).toMatchObject([{ outcome: 'present' }]);
    const lead = await operator.call(leads.create, { body: { product_id: world.productId, name: other } });
    const { id: lead_id } = lead.body as { id: number };
    const body = { lead_id, product_id: world.productId, contact_type: 'whatsapp' as const };
    expect((await operator.call(contacts.create, { body: { ...body, contact: typed } })).status).toBe(201);
    const again = await operator.call(contacts.create, { body: { ...body, contact: other } });
    expect([409, 422]).toContain(again.status);
  });

  it('is not imported again after the person was deleted', async () => {
    const number = typed.replace(/01$/, '03');
    const [row] = await importRows([{ line: 2, name: 'Forget me', whatsapp: number }]);
    const id = row?.lead_id ?? 0;
    await world.pool.query('update contacts set address = $2 where lead_id = $1', [id, variant.replace(/01$/, '03')]);
    expect((await operator.call(leads.remove, { params: { id } })).status).toBe(204);
    expect(await importRows([{ line: 2, name: 'Back', whatsapp: number }])).toMatchObject([{ outcome: 'forgotten' }]);
  });

  it('opts out as all leads of the person', async () => {
    const one = await world.lead(`${variant} asks`);
    const other = await world.lead(`${variant} is the same`, { messenger: 'telegram' });
    const [first, second] = [personKey(variant), addressVariants(personKey(variant))[1]].map((address) =>
      address?.replace(/01$/, '04'),
    );
    await world.pool.query('update contacts set address = $2 where id = $1', [one.contactId, first]);
    await world.pool.query('update contacts set address = $2 where id = $1', [other.contactId, second]);
    await one.writes('Stop writing to me, please');
    await world.drain();
    const { rows } = await world.pool.query(
      'select recognized_deactivation_request as asked from leads where id = any($1)',
      [[one.leadId, other.leadId]],
    );
    expect(rows).toEqual([{ asked: true }, { asked: true }]);
  });
});

describe('a cell with two numbers', () => {
  it('becomes the main contact and another one', async () => {
    const [row] = await importRows([
      { line: 2, name: 'Two', whatsapp: '8 916 123-45-01, +7 903 123-45-01', telegram: '@anna_two; t.me/anna_three' },
    ]);
    expect(row).toMatchObject({ outcome: 'created', errors: [] });
    expect(await contactsOf(row?.lead_id ?? null)).toEqual([
      { type: 'telegram', contact: '@anna_two', address: 'anna_two', is_main: true },
      { type: 'telegram', contact: 't.me/anna_three', address: 'anna_three', is_main: false },
      { type: 'whatsapp', contact: '8 916 123-45-01', address: '79161234501', is_main: true },
      { type: 'whatsapp', contact: '+7 903 123-45-01', address: '79031234501', is_main: false },
    ]);
  });

  it('is refused with the reason of each number that is not valid', async () => {
    expect(
      await importRows([{ line: 2, name: 'Wrong', whatsapp: '+44 7911 1234567; 375291234567.0; 050 123 4567' }]),
    ).toMatchObject([
      {
        outcome: 'invalid',
        errors: [
          { field: 'whatsapp', msg: '+4479111234567 has a digit too many for a number in the United Kingdom' },
          { field: 'whatsapp', msg: '0501234567 has no country code: write it with + and the country code' },
        ],
      },
    ]);
  });

  it('is refused where one contact is created', async () => {
    const lead = await operator.call(leads.create, { body: { product_id: world.productId, name: 'One' } });
    const { id: lead_id } = lead.body as { id: number };
    const body = { lead_id, product_id: world.productId, contact_type: 'whatsapp' as const };
    const answer = await operator.call(contacts.create, { body: { ...body, contact: '+79161234502, +79031234502' } });
    expect(answer).toMatchObject({
      status: 422,
      body: {
        detail: [{ loc: ['body', 'contact'], msg: 'Enter one address: there are several here', type: 'address' }],
      },
    });
  });
});

it('keeps what people with variants of one number got before they were one person', async () => {
  const { url, drop } = await cloneTemplate(inject('testServer').adminUrl, 'template0');
  try {
    const names = await migrationNames();
    await migrate(
      url,
      names.filter((name) => name < '0071'),
    );
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    try {
      await database.query(`
        with c as (insert into companies (name) values ('Old') returning id),
        p as (insert into products (company_id, name) select id, 'Old' from c returning id),
        l as (insert into leads (product_id, name, stage) select p.id, n::text, 'initial' from p, generate_series(1, 4) as n returning id, product_id, name)
        insert into first_messages (product_id, address, lead_id, contact_id, message_id, refused)
        select product_id, (array['5511961234567', '551161234567', '525512345678', '5215512345678'])[name::int], id, id, name::int, name = '3' from l`);
      await database.query('update outreach set next_at = null');
      await migrate(url, names);
      const { rows } = await database.query('select address, is_repeat from first_messages order by message_id');
      expect(rows).toEqual([
        { address: '5511961234567', is_repeat: false },
        { address: '551161234567', is_repeat: true },
        // The refused one reached nobody.
        { address: '525512345678', is_repeat: true },
        { address: '5215512345678', is_repeat: false },
      ]);
      const { rows: due } = await database.query(
        'select count(*)::int as count from outreach where next_at is not null',
      );
      expect(due).toEqual([{ count: 4 }]);
    } finally {
      await database.end();
    }
  } finally {
    await drop();
  }
});
