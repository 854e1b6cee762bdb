import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../testing/client.ts';
import { createWorld, type World } from '../testing/world.ts';
import { readSystemHealth, type SystemHealth } from './contract.ts';
import { MODELS, VENDORS } from './store.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator();
});
afterAll(() => world.close());

async function health(): Promise<SystemHealth> {
  const answer = await admin.call(readSystemHealth, {});
  expect(answer.status).toBe(200);
  return answer.body as SystemHealth;
}
const figure = (of: SystemHealth, key: string) => of.figures.find((one) => one.key === key);

describe('the health of the installation', () => {
  it('is fine when nothing is queued', async () => {
    await world.waitUntil(async () => (await health()).level === 'fine', 'all is fine');
    const now = await health();
    expect(now.nodes).toMatchObject([
      { here: true, ended_at: null, version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
    ]);
    expect(now.database).toMatchObject({ missing: [] });
    expect(now.database.size_bytes).toBeGreaterThan(1_000_000);
    expect(now.sweeps.map(({ name }) => name)).toEqual(expect.arrayContaining(['outbox', 'turns', 'inbox', 'nodes']));
    expect(now.vendors.map(({ vendor, rest_reason }) => [vendor, rest_reason])).toEqual([['wazzup24', null]]);
  });

  it("reports accepted and refused sends and the models' results", async () => {
    const anna = await world.lead('Anna');
    await anna.writes('How long does delivery take?');
    await world.drain();
    const afterReply = await health();
    expect(afterReply.vendors[0]).toMatchObject({ last_error: null, channels: 2 });
    expect(afterReply.vendors[0]?.last_accepted_at).not.toBeNull();
    expect(afterReply.models).toMatchObject([{ company_id: world.companyId, calls: 1, errors: 0, level: 'fine' }]);

    const boris = await world.lead('Boris');
    await world.pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, reason, thread_at)
       values ($1, $2, $3, $4, 'x', 'bot', 'bot', 'error', 'Nobody there', domain_now() + interval '1 minute')`,
      [world.productId, boris.contactId, await boris.dialogueId(), world.whatsapp.id],
    );
    await world.pool.query(
      "update channels set paused_until = now() + interval '1 hour', pause_reason = 'No phone' where id = $1",
      [world.telegram.id],
    );
    const failed = await health();
    expect(failed.vendors[0]).toMatchObject({ last_error: 'Nobody there', rest_reason: 'No phone', level: 'look' });
    expect(figure(failed, 'messages_failed')).toEqual({ key: 'messages_failed', value: 1, level: 'look' });
    expect(failed.level).toBe('look');
    await world.pool.query("update vendor_accounts set key_rejected_reason = 'Wrong key'");
    expect((await health()).vendors[0]).toMatchObject({ rest_reason: 'Wrong key', level: 'bad' });
  });

  it('shows a node without a heartbeat, and a stopped one as history', async () => {
    await world.pool.query(
      `insert into nodes (instance_id, name, roles, pid, heartbeat_at, ended_at) values
         (gen_random_uuid(), 'silent', '{worker}', 1, now() - interval '1 day', null),
         (gen_random_uuid(), 'gone', '{worker}', 1, now() - interval '20 minutes', now() - interval '20 minutes'),
         (gen_random_uuid(), 'long ago', '{worker}', 1, now() - interval '1 day', now() - interval '1 day')`,
    );
    const { nodes } = await health();
    const others = nodes.filter(({ here }) => !here).map(({ name, level, version }) => [name, level, version]);
    // The live instance's sweep may have reaped it meanwhile.
    expect([
      [
        ['gone', 'fine', null],
        ['silent', 'fine', null],
      ],
      [
        ['silent', 'bad', null],
        ['gone', 'fine', null],
      ],
    ]).toContainEqual(others);
  });

  it('is visible to admins only', async () => {
    const member = await world.operator('anna', [world.companyId]);
    expect((await member.call(readSystemHealth, {})).status).toBe(403);
  });
});

it('reads messages and runs with index scans only', async () => {
  const client = await world.pool.connect();
  try {
    // A few rows are read faster without an index; this setting shows whether one could be used.
    await client.query('set enable_seqscan = off');
    for (const [statement, table, off] of [
      [VENDORS, 'messages', 'seqscan'],
      [MODELS, 'llm_runs', 'indexscan'],
    ] as const) {
      await client.query(`set enable_${off} = off`);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${statement}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).not.toContain(`Seq Scan on ${table}`);
      expect(plan).toMatch(/messages_failures_channel|llm_runs_recent/);
    }
  } finally {
    client.release(true);
  }
});
