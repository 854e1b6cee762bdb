/** Items that cannot be worked on: nobody waits behind them, and after a while they are set aside. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readQueues } from '../reports/queues.ts';
import { dialogueOf, hookUrl, inboundItem, postHook, rowsOf } from '../testing/rows.ts';
import { createWorld, type World } from '../testing/world.ts';
import { receiveWebhook } from './chatbotContract.ts';

const QUESTION = 'How long does delivery take?';
const POISON = 'No row can be made of this';

let world: World;
let url = '';
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_LOG_LEVEL: 'silent', RAPPORT_RETRY_BASE_SECONDS: '2' } });
  url = await hookUrl(world);
  await world.pool.query(`
    create function refuse_poison() returns trigger language plpgsql as $$
    begin
      if new.message = '${POISON}' then raise exception 'Poison'; end if;
      return new;
    end $$;
    create trigger refuse_poison before insert on messages for each row execute function refuse_poison();`);
});
afterAll(() => world.close());
afterEach(() => world.pool.query("delete from inbox where state <> 'done'"));

interface Kept {
  state: string;
  note: string | null;
  tries: number;
  /** Seconds until it is tried again. */
  pause: number | null;
}

async function kept(): Promise<Kept | undefined> {
  const { rows } = await world.pool.query<Kept>(
    `select state, note, tries, extract(epoch from retry_at - clock_timestamp())::float8 as pause from inbox where state <> 'done'`,
  );
  return rows[0];
}

async function triedTimes(tries: number): Promise<void> {
  await world.until(async () => (await kept())?.tries === tries, `tried ${tries} times`);
}

describe('an item that cannot be worked on', () => {
  it('holds nobody behind it: neither who came in one hook with it, nor what was kept for later', async () => {
    const [anna, boris, clara] = [await world.lead('Anna'), await world.lead('Boris'), await world.lead('Clara')];
    await postHook(url, {
      messages: [inboundItem(world, anna.address, POISON), inboundItem(world, clara.address, QUESTION)],
    });
    await triedTimes(1);
    expect(await kept()).toMatchObject({ state: 'new', note: 'Poison' });
    // Open again, and before all others.
    await world.pool.query(
      "update inbox set retry_at = null, received_at = received_at - interval '1 minute' where state = 'new'",
    );
    await world.control.type(boris.address, { channelId: world.whatsapp.ref, text: 'Hello Boris, this is Oleg' });
    await world.until(async () => (await dialogueOf(world, boris)).owner === 'human', 'a human has taken over');
    await world.until(async () => (await clara.sees()).length === 1, 'Clara is answered');
    expect((await kept())?.tries).toBeGreaterThanOrEqual(1);
  });

  it('is tried again after pauses that grow, set aside where an operator sees it, and done when it can be', async () => {
    const dora = await world.lead('Dora');
    await postHook(url, { messages: [inboundItem(world, dora.address, POISON)] });
    await triedTimes(1);
    await world.pool.query(
      "update inbox set tries = 6, retry_at = null, received_at = received_at - interval '1 minute' where state = 'new'",
    );
    await triedTimes(7);
    // What the lead says meanwhile waits for it.
    expect((await kept())?.state).toBe('new');
    expect((await kept())?.pause).toBeGreaterThan(60);
    await dora.writes(QUESTION);
    await world.until(async () => (await rowsOf(world, dora, 'user')).length === 1, 'the question is stored');
    expect(await rowsOf(world, dora, 'bot')).toEqual([]);
    await world.pool.query("update inbox set retry_at = null where state = 'new'");
    await triedTimes(8);
    expect((await kept())?.state).toBe('failed');
    await world.until(async () => (await dora.sees()).length === 2, 'Dora is answered');
    await world.drain();
    const queues = await readQueues(world.pool);
    // A count of the database, which the world's pool gives as text.
    expect(queues).toMatchObject({ inbox_open: '1' });
    expect(queues.inbox_open_seconds).toBeGreaterThan(59);

    await world.pool.query('alter table messages disable trigger refuse_poison');
    await world.pool.query("update inbox set retry_at = null where state = 'failed'");
    await world.until(async () => (await kept()) === undefined, 'it is done');
    await world.pool.query('alter table messages enable trigger refuse_poison');
    expect((await rowsOf(world, dora, 'user')).map((one) => one.message).toSorted()).toEqual([QUESTION, POISON]);
    await world.drain();
    expect(await readQueues(world.pool)).toMatchObject({ inbox_open: '0' });
  });
});

describe('what a vendor says of time and place', () => {
  it.each([
    ['the year 0', { dateTime: '0000-01-01T00:00:00Z' }],
    ['a year of six digits', { dateTime: '+012026-01-01T00:00:00Z' }],
    ['a year before the first', { dateTime: '-000044-03-15T12:00:00Z' }],
  ])('counts as nothing: %s', async (name, more) => {
    const person = await world.lead(name);
    await postHook(url, { messages: [inboundItem(world, person.address, QUESTION, more)] });
    await world.drain();
    expect((await person.sees()).at(-1)).toMatch(/^us: /);
  });

  it('is nobody where the chat is blank, and the same chat with spaces around it', async () => {
    const emil = await world.lead('Emil');
    const item = (chatId: string) => inboundItem(world, chatId, QUESTION, { contact: { phone: ' ' } });
    await postHook(url, { messages: [item(' '), item(` ${emil.address} `)] });
    await world.drain();
    expect((await rowsOf(world, emil, 'user')).map((one) => one.message)).toEqual([QUESTION]);
    const { rows } = await world.pool.query("select note from inbox where kind = 'message' and chat_id is null");
    expect(rows).toEqual([{ note: 'no channel or chat' }]);
  });

  it('is the same in our own words', async () => {
    const frida = await world.lead('Frida');
    const admin = await world.operator();
    const message = (chat_id: string, sent_at: string) =>
      ({ chat_id, message: QUESTION, message_id: `${frida.address} ${sent_at}`, status: 'inbound', sent_at }) as const;
    const answer = await admin.call(receiveWebhook, {
      body: {
        channel_id: world.whatsapp.id,
        messages: [
          // In the year 10000 of UTC.
          message(` ${frida.address}`, '9999-12-31T23:59:59-10:00'),
          message(' ', '2026-01-01T00:00:00Z'),
        ],
      },
    });
    expect(answer.status).toBe(200);
    await world.drain();
    expect((await frida.sees()).at(-1)).toMatch(/^us: /);
  });
});
