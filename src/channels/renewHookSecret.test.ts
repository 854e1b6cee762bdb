/** Renewing the secret in an account's hook address. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { receiveWebhook } from '../inbox/chatbotContract.ts';
import { CHATPUSH_TOKEN, connectChatpush } from '../testing/chatpush.ts';
import type { Client } from '../testing/client.ts';
import { hookUrl, inboundItem, postHook } from '../testing/messageRows.ts';
import { createWorld, freePort, WAZZUP_KEY, type World } from '../testing/world.ts';
import { registerHook, renewHook } from './hookContract.ts';

let world: World;
let admin: Client;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.operator('root');
});
afterEach(async () => {
  await world.control.setFaults([]);
  await admin.call(registerHook, { params: { id: world.whatsapp.id }, query: { replace: true } });
  await world.pool.query('delete from former_hook_secrets');
});
afterAll(() => world.close());

const newSecret = (): string => randomBytes(32).toString('base64url');

const renew = (secret: string | null = null, { by = admin, replace = false } = {}) =>
  by.call(renewHook, { params: { id: world.whatsapp.id }, query: { replace }, body: { secret } });

/** Post a message of a lead to a hook address; returns the status. */
const post = async (url: string): Promise<number> =>
  (await postHook(url, { messages: [inboundItem(world, '79990001122', 'Hello')] })).status;

/** Submit a message with a secret as bearer token; returns the status. */
async function submit(secret: string): Promise<number> {
  const item = { chat_id: '79990001122', message: 'Hello', message_id: randomUUID() };
  const answer = await world.anonymousClient().fetch(receiveWebhook.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
    body: JSON.stringify({ channel_id: world.whatsapp.ref, messages: [item] }),
  });
  return answer.status;
}

const secretOf = (url: string): string => url.split('/').at(-1) ?? '';

/** End the grace of former secrets. */
const endGrace = () =>
  world.pool.query(
    "update former_hook_secrets set valid_until = clock_timestamp() - interval '1 second' where valid_until is not null",
  );

/** Register another address at the vendor, as another program would. */
async function registerElsewhere(webhooksUri: string): Promise<void> {
  const base = world.app?.context.config.vendorUrls.wazzup24 ?? '';
  const answer = await fetch(`${base}/v3/webhooks`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${WAZZUP_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ webhooksUri }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
}

describe('a renewed secret', () => {
  it('is registered with the vendor at once, and replaces the former one after ten minutes', async () => {
    const former = await hookUrl(world);
    expect(await post(former)).toBe(200);
    const secret = newSecret();
    const before = Date.now();
    const { status, body } = await renew(secret);
    expect([status, body]).toEqual([
      201,
      { is_registered: true, message: 'Success', former_accepted_until: expect.any(String) },
    ]);
    const { former_accepted_until: until } = renewHook.replies[201].parse(body);
    expect(Date.parse(until ?? '')).toBeGreaterThanOrEqual(before + 600_000);
    expect(Date.parse(until ?? '')).toBeLessThanOrEqual(Date.now() + 601_000);
    const present = await hookUrl(world);
    expect(secretOf(present)).toBe(secret);
    for (const address of [present, former]) {
      expect(await post(address)).toBe(200);
      expect(await submit(secretOf(address))).toBe(200);
    }
    await endGrace();
    // The node has just seen the former one, and remembers its account.
    expect([await post(former), await submit(secretOf(former))]).toEqual([404, 401]);
    expect([await post(present), await submit(secretOf(present))]).toEqual([200, 200]);
  });

  it('is one that nobody sees if none is given, and is in no reply, log or audit entry', async () => {
    const { status, body } = await renew();
    const secret = secretOf(await hookUrl(world));
    expect([status, JSON.stringify(body).includes(secret)]).toEqual([201, false]);
    expect(secret).toMatch(/^[\w-]{43}$/);
    const { rows } = await world.pool.query<{ entry: string }>(
      "select a::text as entry from audit a where action = 'webhook secret renewed' order by id desc limit 1",
    );
    expect(rows[0]?.entry).toMatch(/root/);
    expect(rows[0]?.entry).not.toContain(secret);
  });

  it('is accepted beside the former one until the vendor has it', async () => {
    const former = await hookUrl(world);
    const secret = newSecret();
    // The vendor says what is registered, and does not answer when it is to be changed.
    const holder = await world.pool.connect();
    await holder.query('begin');
    await holder.query('select from vendor_accounts for update');
    const renewing = renew(secret);
    await world.waitUntil(async () => {
      const { rows } = await world.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%no key update%'",
      );
      return rows.length > 0;
    }, 'the secret is about to be replaced');
    await world.control.setFaults([{ kind: 'wazzup24.fail_before', status: 503, match: { route: 'webhooks' } }]);
    await holder.query('commit');
    holder.release();
    const answer = await renewing;
    await world.control.setFaults([]);
    expect([answer.status, answer.body]).toEqual([
      202,
      { is_registered: false, message: expect.stringMatching(/^The vendor /), former_accepted_until: null },
    ]);
    await endGrace();
    expect(await hookUrl(world)).toBe(former);
    expect([await post(former), await submit(secret)]).toEqual([200, 200]);
    // The former address is ours, so nobody is asked.
    const registered = await admin.call(registerHook, { params: { id: world.whatsapp.id } });
    expect(registered.status).toBe(201);
    expect(secretOf(await hookUrl(world))).toBe(secret);
    expect(await post(former)).toBe(200);
    await endGrace();
    expect(await post(former)).toBe(404);
  });

  it('changes nothing when the vendor does not answer at all', async () => {
    const former = await hookUrl(world);
    await world.control.setFaults([{ kind: 'wazzup24.fail_before', status: 503, match: { route: 'webhooks' } }]);
    expect((await renew(newSecret())).status).toBeGreaterThanOrEqual(400);
    await world.control.setFaults([]);
    expect(await hookUrl(world)).toBe(former);
    const { rows } = await world.pool.query('select 1 from former_hook_secrets');
    expect(rows).toEqual([]);
  });

  it("does not take over another program's address unless told to", async () => {
    const former = await hookUrl(world);
    const other = createServer((_request, response) => response.end());
    const port = await freePort();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    try {
      const elsewhere = `http://127.0.0.1:${port}/`;
      await registerElsewhere(elsewhere);
      expect(await renew(newSecret())).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining(`(${elsewhere})`) },
      });
      expect([await hookUrl(world), await submit(secretOf(former))]).toEqual([elsewhere, 200]);
      const secret = newSecret();
      expect((await renew(secret, { replace: true })).status).toBe(201);
      expect(secretOf(await hookUrl(world))).toBe(secret);
    } finally {
      other.close();
    }
  });

  it('registers the present secret when it is overtaken', async () => {
    // The first is with the vendor, which takes its time, when the second is through.
    await world.control.setFaults([{ kind: 'wazzup24.delay', ms: 300, match: { route: 'webhooks' }, times: 2 }]);
    const [first, second] = [newSecret(), newSecret()];
    const overtaken = renew(first);
    await world.waitUntil(
      async () => (await world.pool.query('select from former_hook_secrets')).rowCount === 1,
      'the first is the present one',
    );
    expect((await renew(second)).status).toBe(201);
    expect(await overtaken).toMatchObject({ status: 201 });
    expect(secretOf(await hookUrl(world))).toBe(second);
  });

  it('is the registered one whatever calls overlap', async () => {
    const secrets = Array.from({ length: 4 }, newSecret);
    const answers = await Promise.all([
      ...secrets.map((secret) => renew(secret)),
      admin.call(registerHook, { params: { id: world.whatsapp.id } }),
    ]);
    expect(answers.slice(0, 4).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const registered = await hookUrl(world);
    await endGrace();
    expect(await post(registered)).toBe(200);
    const accepted = [];
    for (const secret of secrets) if ((await submit(secret)) === 200) accepted.push(secret);
    expect(accepted).toEqual([secretOf(registered)]);
  });

  it('is a new one of 256 bits', async () => {
    for (const weak of ['', 'secret', 'a'.repeat(42), 'a'.repeat(87), `${'a'.repeat(42)}/`, `${'a'.repeat(42)} `])
      expect([weak, (await renew(weak)).status]).toEqual([weak, 422]);
    const secret = newSecret();
    expect((await renew(secret)).status).toBe(201);
    expect((await renew(secret)).status).toBe(409);
    expect((await renew()).status).toBe(201);
    expect((await renew(secret)).status).toBe(409);
  });

  it('takes the place of the former webhook of a vendor that has several', async () => {
    const chatpush = await connectChatpush(world);
    const former = await chatpush.hookUrl();
    const answer = await admin.call(renewHook, { params: { id: chatpush.telegram.id }, body: {} });
    expect(answer.status).toBe(201);
    const account = (await world.control.chatpushAccounts()).find(({ token }) => token === CHATPUSH_TOKEN);
    expect(account?.webhooks.map(({ url }) => url)).toEqual([await chatpush.hookUrl()]);
    expect(await chatpush.hookUrl()).not.toBe(former);
  });
});

describe('who may renew', () => {
  it('an admin, and members of the company that owns the account', async () => {
    const { rows } = await world.pool.query<{ id: number }>(
      "insert into companies (name) values ('Other') returning id::int",
    );
    const otherId = rows[0]?.id ?? 0;
    await world.pool.query(
      'insert into vendor_account_companies (account_id, company_id) select account_id, $2 from channels where id = $1',
      [world.whatsapp.id, otherId],
    );
    await world.pool.query('insert into channel_companies (channel_id, company_id) values ($1, $2)', [
      world.whatsapp.id,
      otherId,
    ]);
    const member = await world.operator('member', [world.companyId]);
    const sharer = await world.operator('sharer', [otherId]);
    expect((await renew(null, { by: member })).status).toBe(201);
    expect(await renew(null, { by: sharer })).toMatchObject({
      status: 403,
      body: { detail: "Only an admin or a member of the account's company may renew its secret." },
    });
    await world.pool.query('delete from channel_companies where channel_id = $1 and company_id = $2', [
      world.whatsapp.id,
      otherId,
    ]);
    expect((await renew(null, { by: sharer })).status).toBe(404);
    expect((await renew(null, { by: world.anonymousClient() })).status).toBe(401);
  });

  it('nobody whose identity was not confirmed lately', async () => {
    const late = await world.operator('late');
    await world.pool.query(
      "update sessions set reauthenticated_at = now() - interval '1 day' where operator_id = (select id from operators where login = 'late')",
    );
    expect((await renew(null, { by: late })).status).toBe(403);
  });
});
