import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies } from '../companies/contract.ts';
import { leads } from '../leads/contract.ts';
import type { QueryInput } from '../platform/contract.ts';
import { readList } from '../platform/http/listQuery.ts';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { type AuditEntry, audit, readAuditEntry, readAuditWords } from './auditContract.ts';
import { AUDIT_LISTING } from './store/audit.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator('olga');
});
afterAll(() => world.close());

async function find(query: Partial<QueryInput<typeof audit.list>>): Promise<AuditEntry[]> {
  const answer = await admin.call(audit.list, { query });
  expect(answer.status).toBe(200);
  return (answer.body as { items: AuditEntry[] }).items;
}

describe('the audit log', () => {
  it('filters by operator, action, row, request, company, product, day and text', async () => {
    const created = await admin.call(companies.create, { body: { name: 'Lighthouse Keepers' } });
    const { id } = created.body as { id: number };
    const request = created.headers.get('x-request-id') ?? '';
    await admin.call(companies.replace, { params: { id }, body: { name: 'Harbour Masters' } });
    const own = await find({ noun: ['company'], row_id: [id] });
    expect(own.map(({ action, operator }) => [action, operator])).toEqual([
      ['changed', 'olga'],
      ['created', 'olga'],
    ]);
    expect(await find({ request_id: [request] })).toMatchObject([{ action: 'created', row_id: id, has_rows: true }]);
    expect(await find({ operator_id: [own[0]?.operator_id ?? 0], action: ['created'] })).toHaveLength(1);
    // The last word may be incomplete; the state before a change is found too.
    for (const search of ['lighthouse keep', 'Lighthouse', 'KEEPERS'])
      expect((await find({ search })).map(({ action }) => action)).toEqual(['changed', 'created']);
    expect(await find({ search: 'harbour masters' })).toHaveLength(1);
    for (const search of ['harbour keepers x', '& | !', "'; drop table audit; --"])
      expect(await find({ search })).toEqual([]);
    const today = new Date().toISOString().slice(0, 10);
    expect((await find({ noun: ['company'], created_from: today, created_to: today })).length).toBe(2);
    expect(await find({ created_to: '2020-01-01' })).toEqual([]);
    const answer = await admin.call(readAuditEntry, { params: { id: own[0]?.id ?? 0 } });
    expect(answer.body).toMatchObject({ before: { name: 'Lighthouse Keepers' }, after: { name: 'Harbour Masters' } });
    const words = (await admin.call(readAuditWords, {})).body;
    expect(words).toEqual({ actions: ['changed', 'created', 'signed in'], nouns: ['company', 'operator', 'sign_in'] });
  });

  it('groups what one request did to many rows into one line with their count', async () => {
    await world.pool.query(
      `insert into audit (operator, action, noun, row_id, product_id, request_id, after)
       select 'olga', 'created', 'lead', 1000000 + g, $1, 'import-1', jsonb_build_object('name', 'Row ' || g) from generate_series(1, 195) g`,
      [world.productId],
    );
    const of = { noun: ['lead'], action: ['created'], product_id: [world.productId] };
    const grouped = { ...of, grouped: [true], with_same: true };
    const [line, ...others] = await find(grouped);
    expect(others).toEqual([]);
    expect(line).toMatchObject({ row_id: 1000195, same: 195, row_name: 'Row 195' });
    const answer = await admin.call(audit.list, { query: { request_id: ['import-1'], limit: 100 } });
    expect(answer.body).toMatchObject({ total: 195 });
  });

  it('exports all filtered entries line by line, and records the export', async () => {
    await world.pool.query(
      `insert into audit (operator, action, noun, row_id, company_id, request_id, before, after)
       select 'olga', 'changed', 'company', 2000000 + g, $1, 'export-1', '{"name": "=1+1"}', jsonb_build_object('name', g) from generate_series(1, 450) g`,
      [world.companyId],
    );
    const answer = await admin.fetch('/v1/audit/export?request_id=export-1&action=changed', { method: 'POST' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="audit-log.ndjson"');
    const entries = (await answer.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as AuditEntry & { after: { name: number } });
    expect(entries.map(({ row_id, after }) => row_id === 2_000_000 + after.name)).toEqual(
      Array.from({ length: 450 }, () => true),
    );
    expect(entries[0]).toMatchObject({
      operator: 'olga',
      action: 'changed',
      before: { name: '=1+1' },
      company_id: world.companyId,
    });
    const [exported] = await find({ action: ['exported'] });
    expect(exported).toMatchObject({ operator: 'olga', noun: 'audit_entry' });
    expect((await admin.call(readAuditEntry, { params: { id: exported?.id ?? 0 } })).body).toMatchObject({
      after: { request_id: ['export-1'], action: ['changed'] },
    });
    // Its own entry is the last one of an export without filters.
    const whole = (await (await admin.fetch('/v1/audit/export', { method: 'POST' })).text()).trimEnd().split('\n');
    expect(JSON.parse(whole.at(-1) ?? '')).toMatchObject({ action: 'exported', after: {} });
    const member = await world.operator('mia', [world.companyId]);
    expect((await member.fetch('/v1/audit/export', { method: 'POST' })).status).toBe(403);
  });

  it('erases the entries of a deleted lead', async () => {
    const { leadId } = await world.lead('Anna Secret', { dialogue: false });
    await admin.call(leads.get, { params: { id: leadId } });
    await world.pool.query(
      "insert into audit (operator, action, noun, row_id, product_id, after) values ('olga', 'changed', 'lead', $1, $2, '{\"name\": \"Anna Secret\"}')",
      [leadId, world.productId],
    );
    expect(await find({ search: 'secret', product_id: [world.productId] })).toHaveLength(1);
    expect((await admin.call(leads.remove, { params: { id: leadId } })).status).toBe(204);
    expect(await find({ search: 'secret' })).toEqual([]);
    const remaining = await find({ noun: ['lead'], row_id: [leadId] });
    expect(remaining.map(({ action, has_rows }) => [action, has_rows])).toEqual([
      ['deleted', false],
      ['changed', false],
    ]);
  });

  it('is visible to admins only', async () => {
    const member = await world.operator('masha', [world.companyId]);
    expect((await member.call(audit.list, {})).status).toBe(403);
    expect((await member.call(readAuditEntry, { params: { id: 1 } })).status).toBe(403);
  });
});

it('uses an index for each filter', async () => {
  const client = await world.pool.connect();
  try {
    // A few rows are read faster without an index; this setting shows whether one could be used.
    await client.query('set enable_seqscan = off; set enable_sort = off');
    const ways: [object, string][] = [
      [{}, 'audit_pkey'],
      [{ operator_id: [1] }, 'audit_operator'],
      [{ action: ['created'] }, 'audit_action'],
      [{ noun: ['lead'], row_id: [1] }, 'audit_row'],
      [{ company_id: [1] }, 'audit_company'],
      [{ product_id: [1] }, 'audit_product'],
    ];
    const seen: string[] = [];
    const explaining = {
      query: async ({ text, values }: { text: string; values: unknown[] }) => {
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
        seen.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        return { rows: [] };
      },
    };
    const query = { page: 1, limit: 25, order: 'desc', order_by: 'id', with_total: false } as const;
    for (const [narrowing] of ways)
      await readList(explaining as never, {
        listing: AUDIT_LISTING,
        query: { ...query, ...narrowing },
        companies: null,
      });
    expect(seen.map((plan, at) => plan.includes(ways[at]?.[1] ?? '?') || plan)).toEqual(ways.map(() => true));
    // These two find rare entries and sort them.
    await client.query('set enable_sort = on; set enable_indexscan = off');
    for (const [narrowing, index] of [
      [{ request_id: ['x'] }, 'audit_request'],
      [{ search: 'word' }, 'audit_search'],
      [{ created_from: '2026-01-01', created_to: '2026-01-02' }, 'audit_recent'],
    ] as const) {
      await readList(explaining as never, {
        listing: AUDIT_LISTING,
        query: { ...query, ...narrowing },
        companies: null,
      });
      expect(seen.at(-1)).toContain(index);
    }
  } finally {
    client.release(true);
  }
});
