import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BodyInput } from '../platform/contract.ts';
import { products } from '../products/contract.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { changeLeadStage, contacts, type Lead, leads } from './contract.ts';
import { type ImportedRow, importLeads, undoImport } from './importContract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator('root');
});
afterAll(() => world.close());

type Rows = BodyInput<typeof importLeads>['rows'];

async function send(rows: Rows, options: { key?: string; dryRun?: boolean; productId?: number } = {}) {
  const { key = randomUUID(), dryRun = false, productId = world.productId } = options;
  const answer = await admin.call(importLeads, {
    body: { product_id: productId, import_key: key, dry_run: dryRun, rows },
  });
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  return (answer.body as { rows: ImportedRow[] }).rows;
}
const outcomes = (rows: readonly ImportedRow[]) => rows.map((row) => `${row.line} ${row.outcome}`);
const countRows = async () => {
  const { rows } = await world.pool.query<{ n: string }>(
    'select (select count(*) from leads) || $1 || (select count(*) from contacts) as n',
    [' '],
  );
  return rows[0]?.n;
};

describe('an import of leads', () => {
  it('imports leads with contacts and CRM fields, and reports the rows with errors', async () => {
    const rows = await send([
      {
        line: 2,
        name: ' Ada Import ',
        whatsapp: '8 (916) 000-11-22',
        telegram: '@Ada_Import',
        timezone: 'Asia/Omsk',
        crm_id: '77',
        crm_fields: { budget: 900, wishes: ['oak', 'ash'] },
      },
      { line: 3, name: ' ', whatsapp: 'ring me', telegram: '@!', timezone: 'Mars/Base', crm_id: 'x'.repeat(201) },
      { line: 4, name: 'Nobody' },
      { line: 5, name: 'Bo', telegram: 'https://t.me/Bo_Import' },
    ]);
    expect(outcomes(rows)).toEqual(['2 created', '3 invalid', '4 invalid', '5 created']);
    expect(rows[1]?.errors).toEqual([
      { field: 'name', msg: 'Name is required' },
      { field: 'telegram', msg: 'Not a Telegram address' },
      { field: 'whatsapp', msg: 'Not a WhatsApp address' },
      { field: 'crm_id', msg: 'The CRM id is too long' },
      { field: 'timezone', msg: 'Unknown time zone' },
    ]);
    expect(rows[2]?.errors).toEqual([{ field: 'row', msg: 'A WhatsApp or Telegram address or a CRM id is required' }]);
    const id = rows[0]?.lead_id ?? 0;
    const { body } = await admin.call(leads.get, { params: { id } });
    expect(body as Lead).toMatchObject({
      name: 'Ada Import',
      crm_id: '77',
      timezone: 'Asia/Omsk',
      stage: 'initial',
      is_active: true,
      crm_fields: { budget: 900, wishes: ['oak', 'ash'] },
    });
    const owned = await admin.call(contacts.list, { query: { lead_id: [id], order: 'asc' } });
    expect((owned.body as { items: unknown[] }).items).toMatchObject([
      { contact_type: 'telegram', contact: '@Ada_Import', is_main: true },
      { contact_type: 'whatsapp', contact: '8 (916) 000-11-22', is_main: true },
    ]);
    const { rows: entries } = await world.pool.query(
      "select operator, after->>'name' as name from audit where noun = 'lead' and action = 'imported' and row_id = $1",
      [id],
    );
    expect(entries).toEqual([{ operator: 'root', name: 'Ada Import' }]);
  });

  it('changes nothing when the same leads are imported again, however the addresses are written', async () => {
    const file: Rows = [
      { line: 2, name: 'Cleo', whatsapp: '+7 916 000 11 33' },
      { line: 3, name: 'Dan', telegram: '@dan_import' },
      { line: 4, name: 'Eve', crm_id: 'deal-5' },
    ];
    const first = await send(file);
    const before = await countRows();
    const secondRows = await send([
      { line: 9, name: 'Cleopatra', telegram: '8 916 000-11-33' },
      { line: 10, name: 'Dan', telegram: 'https://t.me/DAN_import' },
      { line: 11, name: 'Eva', crm_id: ' deal-5 ' },
    ]);
    expect(outcomes(secondRows)).toEqual(['9 present', '10 present', '11 present']);
    expect(secondRows.map((row) => row.lead_id)).toEqual(first.map((row) => row.lead_id));
    expect(await countRows()).toBe(before);
  });

  it('imports a lead once, also when it is listed twice or two imports run at once', async () => {
    const twins: Rows = [
      { line: 2, name: 'Finn', whatsapp: '79160001144' },
      { line: 3, name: 'Finn again', telegram: '+7 916 000-11-44' },
    ];
    expect(outcomes(await send(twins))).toEqual(['2 created', '3 present']);
    const manyRows = Array.from({ length: 200 }, (_one, index) => ({
      line: index + 2,
      name: `Crowd ${index}`,
      whatsapp: String(79170000000 + index),
    }));
    const both = await Promise.all([send(manyRows), send(manyRows), send(manyRows.toReversed())]);
    const createdCounts = both.map((rows) => rows.filter((row) => row.outcome === 'created').length);
    expect(createdCounts.toSorted((a, b) => a - b)).toEqual([0, 0, 200]);
  });

  it('returns the first result when an import is repeated', async () => {
    const key = randomUUID();
    const file: Rows = [{ line: 2, name: 'Gus', whatsapp: '79160001155' }];
    const first = await send(file, { key });
    const before = await countRows();
    expect(await send(file, { key })).toEqual(first);
    expect(await countRows()).toBe(before);
  });

  it('returns the first result of rows that name one lead twice when an import is repeated', async () => {
    const key = randomUUID();
    await send([{ line: 2, name: 'Jo', whatsapp: '79160001300' }]);
    const file: Rows = [
      { line: 2, name: 'Kim', whatsapp: '79160001301' },
      { line: 3, name: 'Kim again', whatsapp: '79160001301' },
      { line: 4, name: 'Kim and Lee', telegram: '@lee_import', whatsapp: '79160001301' },
      { line: 5, name: 'Lee', telegram: '@lee_import' },
      { line: 6, name: 'Jo', whatsapp: '79160001300' },
    ];
    const first = await send(file, { key });
    expect(outcomes(first)).toEqual(['2 created', '3 present', '4 present', '5 created', '6 present']);
    const before = await countRows();
    expect(await send(file, { key })).toEqual(first);
    expect(await countRows()).toBe(before);
  });

  it('checks an import with the same answer, and stores nothing', async () => {
    const before = await countRows();
    const file: Rows = [
      { line: 2, name: 'Hal', whatsapp: '79160001166' },
      { line: 3, name: '', whatsapp: '79160001177' },
      { line: 4, name: 'Gus', whatsapp: '79160001155' },
    ];
    expect(outcomes(await send(file, { dryRun: true }))).toEqual(['2 created', '3 invalid', '4 present']);
    expect(await countRows()).toBe(before);
  });

  it('does not import a deleted lead again over either messenger, except for another product', async () => {
    const fileRows: Rows = [{ line: 2, name: 'Iris', whatsapp: '79160001188' }];
    const [row] = await send(fileRows);
    await admin.call(leads.remove, { params: { id: row?.lead_id ?? 0 } });
    const before = await countRows();
    expect(outcomes(await send(fileRows))).toEqual(['2 forgotten']);
    expect(outcomes(await send([{ line: 2, name: 'Iris', telegram: '+79160001188' }]))).toEqual(['2 forgotten']);
    expect(await countRows()).toBe(before);
    const createdCounts = await admin.call(products.create, { body: { name: 'Another', company_id: world.companyId } });
    const other = (createdCounts.body as { id: number }).id;
    expect(outcomes(await send(fileRows, { productId: other }))).toEqual(['2 created']);
  });

  it('undoes an import while its leads are untouched, after which they can be imported again', async () => {
    const key = randomUUID();
    const file: Rows = [
      { line: 2, name: 'Jon', whatsapp: '79160001201' },
      { line: 3, name: 'Kim', whatsapp: '79160001202' },
      { line: 4, name: 'Lou', whatsapp: '79160001203' },
      { line: 5, name: 'Max', whatsapp: '79160001204' },
    ];
    const before = await countRows();
    const ids = (await send(file, { key })).map((row) => row.lead_id ?? 0);
    const moved = { params: { id: ids[1] ?? 0 }, query: { new_stage: 'pending' as const } };
    expect((await admin.call(changeLeadStage, moved)).status).toBe(200);
    await world.pool.query(
      `insert into dialogues (product_id, contact_id, channel_id, chat_id, address)
       select product_id, id, $2, address, address from contacts where lead_id = $1`,
      [ids[2], world.whatsapp.id],
    );
    const undo = () => admin.call(undoImport, { body: { product_id: world.productId, import_key: key } });
    expect((await undo()).body).toEqual({ removed: 2, kept: 2 });
    expect((await undo()).body).toEqual({ removed: 0, kept: 2 });
    const responses = await Promise.all(ids.map((id) => admin.call(leads.get, { params: { id } })));
    expect(responses.map((one) => one.status)).toEqual([404, 200, 200, 404]);
    const { rowCount } = await world.pool.query("select 1 from audit where after::text like '%79160001201%'");
    expect(rowCount).toBe(0);
    expect(outcomes(await send(file))).toEqual(['2 created', '3 present', '4 present', '5 created']);
    expect(await countRows()).not.toBe(before);
  });
});
