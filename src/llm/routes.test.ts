import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { keyLocation } from './complete.ts';
import { type CompanyLlm, companyLlms } from './contract.ts';

let world: World;
let admin: Client;
let companyId = 0;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  admin = await world.operator();
  const { rows } = await world.pool.query<{ id: string }>("insert into companies (name) values ('Fresh') returning id");
  companyId = Number(rows[0]?.id);
});
afterAll(() => world.close());

const create = (more: object = {}) =>
  admin.call(companyLlms.create, {
    body: { company_id: companyId, vendor: 'gemini', credentials: { api_key: 'key-of-gemini-1234' }, ...more },
  });
const change = (id: number, body: object) => admin.call(companyLlms.replace, { params: { id }, body });

async function keyOf(id: number): Promise<string | undefined> {
  const { rows } = await world.pool.query<{ sealed: string }>(
    'select api_key_sealed as sealed from company_llms where id = $1',
    [id],
  );
  return world.app?.context.cipher.decryptSecret(rows[0]?.sealed ?? '', keyLocation(id));
}

describe("a company's key", () => {
  it('never returns a stored key', async () => {
    const created = await create();
    expect(created).toMatchObject({ status: 201, body: { credentials: { api_key: '…1234' }, is_active: true } });
    const { id } = created.body as CompanyLlm;
    expect(await keyOf(id)).toBe('key-of-gemini-1234');
    for (const answer of [await admin.call(companyLlms.list), await admin.call(companyLlms.get, { params: { id } })])
      expect(JSON.stringify(answer.body)).not.toContain('key-of-gemini');
    const { rows } = await world.pool.query<{ all: string }>('select string_agg(a::text, $1) as all from audit a', [
      ' ',
    ]);
    expect(rows[0]?.all).not.toContain('key-of-gemini');
  });

  it('keeps the key when its mask is sent back, and asks for it again when the address changes', async () => {
    const { id } = (await create({ vendor: 'anthropic' })).body as CompanyLlm;
    expect((await change(id, { credentials: { api_key: '…1234' } })).status).toBe(200);
    expect(await keyOf(id)).toBe('key-of-gemini-1234');
    const config = { base_url: 'https://models.example.com/v1' };
    expect(await change(id, { config })).toMatchObject({
      status: 409,
      body: { detail: 'The key belongs to the old address. Please enter it again.' },
    });
    expect((await change(id, { config, credentials: { api_key: '…1234' } })).status).toBe(409);
    expect(await change(id, { config, credentials: { api_key: 'another-key-5678' } })).toMatchObject({
      status: 200,
      body: { credentials: { api_key: '…5678' }, config },
    });
    expect(await keyOf(id)).toBe('another-key-5678');
    // The vendor's own address is another one too.
    const member = await world.operator('keeper', [companyId]);
    expect(
      (await member.call(companyLlms.change, { params: { id }, body: { config: { base_url: null } } })).status,
    ).toBe(409);
  });

  it('keeps one active key for each vendor, also when two are created at once', async () => {
    expect((await create()).status).toBe(409);
    const idle = await create({ is_active: false });
    expect(idle.status).toBe(201);
    expect(await change((idle.body as CompanyLlm).id, { is_active: true })).toMatchObject({ status: 409 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ vendor: 'chatgpt' })));
    expect(answers.map((answer) => answer.status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409]);
  });

  it('stays with its company and vendor', async () => {
    const { body } = await create({ is_active: false });
    const { id } = body as CompanyLlm;
    const refused = { status: 409, body: { detail: 'A credential cannot move to another company or vendor.' } };
    expect(await change(id, { company_id: world.companyId })).toMatchObject(refused);
    expect(await change(id, { vendor: 'chatgpt' })).toMatchObject(refused);
    const member = await world.operator('member', [companyId]);
    const foreign = await member.call(companyLlms.change, { params: { id }, body: { company_id: world.companyId } });
    expect(foreign).toMatchObject({ status: 404, body: { detail: 'There is no such company.' } });
    expect((await change(id, body as CompanyLlm)).status).toBe(200);
  });

  it('refuses a mask or characters that no header allows as a key', async () => {
    expect((await create({ is_active: false, credentials: { api_key: '…1234' } })).status).toBe(409);
    expect((await create({ is_active: false, credentials: { api_key: 'ключ' } })).status).toBe(422);
  });
});
