import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classificationConfigs, classificationResults } from '../conversations/classificationConfigContract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { contacts, leads } from './contract.ts';
import { leadDocuments } from './documentContract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator('root');
});
afterAll(() => world.close());

/** List the tables that still contain a text. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await world.pool.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  );
  const tables: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await world.pool.query(`select 1 from ${name} t where t::text like $1 limit 1`, [`%${text}%`]);
    if (rowCount) tables.push(name);
  }
  return tables;
}

describe('a deleted lead', () => {
  it('leaves no name, address or message of a deleted lead in any table', async () => {
    const zora = await world.lead('Zora Quixote');
    await admin.call(leads.replace, {
      params: { id: zora.leadId },
      body: {
        product_id: world.productId,
        name: 'Zora Quixote',
        stage: 'started',
        crm_fields: { city: 'Xanaduville' },
      },
    });
    await admin.call(contacts.replace, {
      params: { id: zora.contactId },
      body: {
        lead_id: zora.leadId,
        product_id: world.productId,
        contact: zora.address,
        contact_type: 'whatsapp',
        is_main: true,
      },
    });
    await zora.writes('What does a marzipan kitchen cost?');
    await world.drain();
    expect(await zora.sees()).toHaveLength(2);
    const document = { lead_id: zora.leadId, name: 'Offer for Quixote', type: 'offer' };
    const created = await admin.call(leadDocuments.create, {
      body: { ...document, document: { text_data: 'marzipan' } },
    });
    expect(created.status).toBe(201);
    const { rows: prompts } = await world.pool.query<{ id: string }>('select id from prompts limit 1');
    const config = await admin.call(classificationConfigs.create, {
      body: { product_id: world.productId, config: { interval_minutes: 5, prompt_id: Number(prompts[0]?.id) } },
    });
    const result = await admin.call(classificationResults.create, {
      body: {
        dialogue_id: await zora.dialogueId(),
        config_id: (config.body as { id: number }).id,
        result: { stage: 'pending', reason: 'Quixote wants marzipan' },
      },
    });
    expect(result.status).toBe(201);
    const before = await tablesWith('marzipan');
    expect(before).toEqual(expect.arrayContaining(['inbox', 'messages']));
    expect(await tablesWith('Quixote')).toEqual(expect.arrayContaining(['audit', 'leads']));

    const response = await admin.call(leads.remove, { params: { id: zora.leadId } });
    expect(response.status).toBe(204);
    await world.drain();
    for (const text of ['Quixote', 'Xanaduville', 'marzipan', zora.address]) {
      expect([text, await tablesWith(text)]).toEqual([text, []]);
    }
    const { rows } = await world.pool.query(
      "select action, operator, before, after from audit where noun = 'lead' and row_id = $1 order by id",
      [zora.leadId],
    );
    expect(rows).toEqual([
      { action: 'changed', operator: 'root', before: null, after: null },
      { action: 'deleted', operator: 'root', before: null, after: null },
    ]);
    expect((await admin.call(leads.remove, { params: { id: zora.leadId } })).status).toBe(404);
  });

  it('leaves nothing of an outbound message that is parked', async () => {
    const [zora, other] = [await world.lead('Zora'), await world.lead('Other')];
    for (const { name, address } of [zora, other])
      await world.pool.query(
        `insert into inbox (account_id, channel_id, kind, ext_id, status, chat_id, item, state, note, parked_until)
         select account_id, id, 'message', 'parked ' || $2, 'sent', $3, jsonb_build_object('text', 'Nougat for ' || $2), 'parked', 'awaits_send',
                clock_timestamp() + interval '1 hour' from channels where id = $1`,
        [world.whatsapp.id, name, address],
      );
    expect((await admin.call(leads.remove, { params: { id: zora.leadId } })).status).toBe(204);
    expect([await tablesWith('Nougat for Zora'), await tablesWith(zora.address)]).toEqual([[], []]);
    const { rows } = await world.pool.query(
      "delete from inbox where ext_id in ('parked Zora', 'parked Other') returning state, ext_id",
    );
    expect(rows.toSorted((a, b) => a.ext_id.localeCompare(b.ext_id))).toEqual([
      { state: 'parked', ext_id: 'parked Other' },
      { state: 'done', ext_id: 'parked Zora' },
    ]);
  });

  it('leaves nothing that was received on a channel without a product', async () => {
    const unlinked = await world.pool.query(
      'delete from product_channels returning product_id, company_id, channel_id',
    );
    const leadsWithoutDialogue = [
      await world.lead('Zora', { dialogue: false }),
      await world.lead('Zoe', { dialogue: false, messenger: 'telegram' }),
    ];
    for (const lead of leadsWithoutDialogue) {
      const { leadId, address, name } = lead;
      await lead.writes(`Truffles for ${name}`);
      await world.drain();
      expect(await tablesWith(`Truffles for ${name}`)).toEqual(['inbox']);
      expect((await admin.call(leads.remove, { params: { id: leadId } })).status).toBe(204);
      expect([await tablesWith(`Truffles for ${name}`), await tablesWith(address)]).toEqual([[], []]);
    }
    for (const { product_id, company_id, channel_id } of unlinked.rows)
      await world.pool.query('insert into product_channels (product_id, company_id, channel_id) values ($1, $2, $3)', [
        product_id,
        company_id,
        channel_id,
      ]);
  });

  it("deletes no other lead's data", async () => {
    const [one, other] = [await world.lead('One'), await world.lead('Other')];
    await one.writes('How long does delivery take?');
    await other.writes('How long does delivery take?');
    await world.drain();
    await admin.call(leads.remove, { params: { id: one.leadId } });
    const { rows } = await world.pool.query<{ messages: string; runs: string; inbox: string }>(
      `select (select count(*) from messages where contact_id = $1) as messages,
              (select count(*) from llm_runs r join dialogues d on d.id = r.dialogue_id where d.contact_id = $1) as runs,
              (select count(*) from inbox where chat_id = $2 and item <> '{}') as inbox`,
      [other.contactId, other.address],
    );
    expect([Number(rows[0]?.messages), Number(rows[0]?.runs), Number(rows[0]?.inbox) > 0]).toEqual([2, 1, true]);
  });
});
