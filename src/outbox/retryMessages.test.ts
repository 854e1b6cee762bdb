import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { retryMessage } from '../conversations/contract.ts';
import type { Client } from '../testing/client.ts';
import { expectInvariants } from '../testing/invariants.ts';
import { messagesOf } from '../testing/messageRows.ts';
import { createWorld, type TestLead, type World } from '../testing/world.ts';
import {
  countRetries,
  deliveryFailures,
  type FailureReason,
  listFailureReasons,
  type RetryBatch,
  type RetryBlock,
  type RetryCount,
  retryMessages,
} from './deliveryFailureContract.ts';

let world: World;
let admins: [Client, Client];
beforeAll(async () => {
  world = await createWorld();
  admins = [await world.operator('olga'), await world.operator('pavel')];
});
afterAll(async () => {
  await expectInvariants(world);
  await world.close();
});
// Hide the failures of earlier tests from the list.
beforeEach(() => world.pool.query("update messages set removed_at = now() where status in ('error', 'unconfirmed')"));

/** Create a failed message of the bot: rejected for certain, or unconfirmed with the given age of its key. */
async function createFailedMessage(lead: TestLead, text: string, age: string, author = 'bot'): Promise<number> {
  const { rows } = await world.pool.query<{ id: string }>(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, reason, error_code,
                           unconfirmed_at, send_key_used_at, schedule_enabled)
     values ($1, $2, $3, $4, $5, 'bot', $7, case $6 when 'error' then 'error' else 'unconfirmed' end, 'No phone', 'X',
             case when $6 <> 'error' then clock_timestamp() - interval '5 minutes' end,
             case when $6 <> 'error' then clock_timestamp() - $6::interval end, false) returning id`.replaceAll(
      '$6::interval',
      "(case $6 when 'error' then '0' else $6 end)::interval",
    ),
    [world.productId, lead.contactId, await lead.dialogueId(), world.whatsapp.id, text, age, author],
  );
  return Number(rows[0]?.id);
}

const count = async (narrowing: object = {}, ids: number[] | null = null): Promise<RetryCount> => {
  const answer = await admins[0].call(countRetries, { body: { narrowing, ids } });
  expect(answer.status).toBe(200);
  return answer.body as RetryCount;
};
const retry = async (counted: RetryCount, more: object = {}, who = admins[0]): Promise<RetryBatch> => {
  const body = { narrowing: {}, ids: null, counted_at: counted.counted_at, doubtful: false, ...more };
  const answer = await who.call(retryMessages, { body });
  expect(answer.status).toBe(200);
  return answer.body as RetryBatch;
};

describe('failed and unconfirmed messages', () => {
  it('are listed over all companies, filtered and grouped by reason', async () => {
    const anna = await world.lead('Anna');
    await createFailedMessage(anna, 'Refused', 'error');
    await createFailedMessage(anna, 'Who knows', '10 minutes');
    const list = async (query: object) => {
      const answer = await admins[0].call(deliveryFailures.list, { query });
      expect(answer.status).toBe(200);
      return (answer.body as { items: { message: string }[] }).items.map(({ message }) => message);
    };
    expect(await list({})).toEqual(['Who knows', 'Refused']);
    expect(await list({ state: ['error'] })).toEqual(['Refused']);
    expect(await list({ vendor: ['chatpush'] })).toEqual([]);
    expect(await list({ product_id: [world.productId], company_id: [world.companyId], search: 'who' })).toEqual([
      'Who knows',
    ]);
    const reasons = (await admins[0].call(listFailureReasons, { query: {} })).body as { items: FailureReason[] };
    expect(reasons.items.map(({ state, reason, count: of }) => [state, reason, of])).toEqual([
      ['error', 'No phone', 1],
      ['unconfirmed', 'No phone', 1],
    ]);
    expect(await list({ reason_key: [reasons.items[0]?.reason_key] })).toHaveLength(2);
    expect(await list({ reason_key: ['0'] })).toEqual([]);
  });

  it('are filtered by why they are skipped when all are retried', async () => {
    const [anna, boris, clara] = [await world.lead('Anna'), await world.lead('Boris'), await world.lead('Clara')];
    await createFailedMessage(anna, 'To one who opted out', 'error');
    await createFailedMessage(boris, 'To one whom a person answers', 'error');
    await createFailedMessage(clara, 'To be sent again', 'error');
    await world.pool.query('update leads set is_active = false, recognized_deactivation_request = true where id = $1', [
      anna.leadId,
    ]);
    await world.pool.query("update dialogues set owner = 'human' where id = $1", [await boris.dialogueId()]);
    const list = async (block: RetryBlock) => {
      const { body } = await admins[0].call(deliveryFailures.list, { query: { retry_block: [block] } });
      return (body as { items: { message: string }[] }).items.map(({ message }) => message);
    };
    expect(await list('opted_out')).toEqual(['To one who opted out']);
    expect(await list('human')).toEqual(['To one whom a person answers']);
    expect(await list('inactive')).toEqual([]);
  });

  it('are visible to admins only', async () => {
    const member = await world.operator('masha', [world.companyId]);
    expect((await member.call(deliveryFailures.list, {})).status).toBe(403);
    const body = { narrowing: {}, counted_at: '2026-01-02T03:04:05.000Z', doubtful: true };
    expect((await member.call(retryMessages, { body })).status).toBe(403);
  });
});

describe('retrying many messages', () => {
  it('counts first how many go under their key, may arrive twice, or cannot go', async () => {
    const leads = await Promise.all(['Boris', 'Clara', 'Dora', 'Egor', 'Fima'].map((name) => world.lead(name)));
    const [boris, clara, dora, egor, fima] = leads as [TestLead, TestLead, TestLead, TestLead, TestLead];
    await createFailedMessage(boris, 'Refused', 'error');
    await createFailedMessage(boris, 'Just now', '5 seconds');
    await createFailedMessage(boris, 'Long ago', '10 minutes');
    await createFailedMessage(clara, 'Opted out', 'error');
    // A bulk retry never writes to a lead who opted out, no matter who wrote the message.
    await createFailedMessage(clara, 'By hand', 'error', 'operator');
    await createFailedMessage(dora, 'Inactive', '5 seconds');
    await createFailedMessage(egor, 'Taken over', 'error');
    await createFailedMessage(egor, 'By hand', 'error', 'operator');
    await createFailedMessage(fima, 'Silent stage', 'error');
    await world.pool.query(
      'update leads set is_active = false, recognized_deactivation_request = (id = $1) where id in ($1, $2)',
      [clara.leadId, dora.leadId],
    );
    await world.pool.query("update dialogues set owner = 'human' where contact_id = $1", [egor.contactId]);
    await world.pool.query("update leads set stage = 'refused' where id = $1", [fima.leadId]);
    expect(await count()).toMatchObject({
      matching: 9,
      same_key: 1,
      new_key: 2,
      doubtful: 1,
      cannot: [
        { why: 'opted_out', count: 2 },
        { why: 'inactive', count: 1 },
        { why: 'human', count: 1 },
        { why: 'stage', count: 1 },
      ],
    });
    expect(await count({ state: ['unconfirmed'] })).toMatchObject({ matching: 3, same_key: 1, doubtful: 1 });
    expect(await count({}, [])).toMatchObject({ matching: 0 });
    expect(await boris.sees()).toEqual([]);

    expect(await retry(await count())).toEqual({ same_key: 1, new_key: 2, doubtful: 0, left: 6, next: null });
    await world.drain();
    expect((await boris.sees()).toSorted()).toEqual(['us: Just now', 'us: Refused']);
    expect([await clara.sees(), await dora.sees(), await fima.sees()]).toEqual([[], [], []]);
    expect(await egor.sees()).toEqual(['us: By hand']);
    // Messages that may arrive twice are sent only on request.
    expect(await retry(await count(), { doubtful: true })).toMatchObject({ doubtful: 1, new_key: 0, same_key: 0 });
    await world.drain();
    expect(await boris.sees()).toHaveLength(3);
  });

  it('sends each once when two operators retry at once', async () => {
    const leads = await Promise.all(Array.from({ length: 12 }, (_one, n) => world.lead(`Crowd ${n}`)));
    for (const lead of leads) await createFailedMessage(lead, 'Hello again', 'error');
    const counted = [await count(), await count()] as const;
    const done = await Promise.all(admins.map((who, n) => retry(counted[n === 0 ? 0 : 1], {}, who)));
    expect(done.reduce((sum, lead) => sum + lead.new_key, 0)).toBe(12);
    await world.drain();
    for (const lead of leads) expect(await lead.sees()).toEqual(['us: Hello again']);
    const { rows } = await world.pool.query(
      "select count(*)::int as deeds from audit where action = 'sent again' and noun = 'message' and row_id in (select id from messages where message = 'Hello again')",
    );
    expect(rows).toEqual([{ deeds: 12 }]);
  });

  it('skips messages sent since they were counted, even if they failed again', async () => {
    const gleb = await world.lead('Gleb');
    const id = await createFailedMessage(gleb, 'Twice refused', 'error');
    const counted = await count();
    await world.pool.query('update messages set claimed_at = clock_timestamp() where id = $1', [id]);
    expect(await retry(counted)).toMatchObject({ new_key: 0, left: 1 });
    expect(await retry(await count())).toMatchObject({ new_key: 1, left: 0 });
    await world.drain();
  });

  it('resumes in batches where it was interrupted', async () => {
    const hanna = await world.lead('Hanna');
    await world.pool.query("update dialogues set owner = 'human' where contact_id = $1", [hanna.contactId]);
    const dialogue = await hanna.dialogueId();
    await world.pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status)
       select $1, $2, $3, $4, 'Held', 'bot', 'bot', 'error' from generate_series(1, 205)`,
      [world.productId, hanna.contactId, dialogue, world.whatsapp.id],
    );
    const counted = await count();
    const batches: number[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const batch: RetryBatch = await retry(counted, { after });
      batches.push(batch.left);
      after = batch.next;
    }
    expect(batches).toEqual([100, 100, 5]);
  });
});

describe('a retry under the key of an uncertain attempt', () => {
  it("is not sent when the vendor's window has passed", async () => {
    const inga = await world.lead('Inga');
    const id = await createFailedMessage(inga, 'Perhaps there', '5 seconds');
    await world.pool.query('update channels set is_active = false where id = $1', [world.whatsapp.id]);
    expect((await admins[0].call(retryMessage, { params: { id } })).status).toBe(200);
    await world.pool.query(
      "update messages set send_key_used_at = clock_timestamp() - interval '2 minutes' where id = $1",
      [id],
    );
    await world.pool.query('update channels set is_active = true where id = $1', [world.whatsapp.id]);
    await world.waitUntil(
      async () => (await messagesOf(world, inga))[0]?.status === 'unconfirmed',
      'it is unconfirmed again',
    );
    expect(await inga.sees()).toEqual([]);
    // Retried once more by an operator who now knows the risk, it is sent under a new key.
    expect((await admins[0].call(retryMessage, { params: { id } })).status).toBe(200);
    await world.drain();
    expect(await inga.sees()).toEqual(['us: Perhaps there']);
  });
});
