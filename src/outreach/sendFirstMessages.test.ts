/**
 * First messages on the real engine, with a moved clock: which leads get one, when, by which channel, and how often.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Product, products } from '../products/contract.ts';
import { createOutreachWorld, DAY, HOUR, type OutreachWorld } from '../testing/outreachWorld.ts';

let world: OutreachWorld;
beforeAll(async () => {
  world = await createOutreachWorld();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

const times = (sent: { at: string }[]) => sent.map((one) => Date.parse(one.at) / 1000);

describe('a first message', () => {
  it('is sent once at the configured hour and moves the lead to started', async () => {
    await world.setFirstMessages({});
    await world.advanceClockTo('08:00');
    const anna = await world.createLead('Anna');
    await world.advanceClock(2 * HOUR);
    expect(await anna.sees()).toEqual([]);
    expect(await world.reasonOf(anna.leadId)).toBe('send_at');
    await world.advanceClock(HOUR);
    expect(await anna.sees()).toEqual(['us: Good day!']);
    expect(await world.stageOf(anna.leadId)).toBe('started');
    await world.advanceClock(2 * DAY);
    expect(await anna.sees()).toEqual(['us: Good day!']);
  });

  it('is not sent without settings, with a limit of 0, to an inactive lead, or to one who wrote', async () => {
    await world.advanceClockTo('08:00');
    const [boris, clara, dora] = await Promise.all(['Boris', 'Clara', 'Dora'].map((name) => world.createLead(name)));
    if (!boris || !clara || !dora) throw new Error('three leads');
    await world.advanceClock(DAY);
    expect([await boris.sees(), await world.reasonOf(boris.leadId)]).toEqual([[], 'no_firsts']);
    await world.setFirstMessages({ whatsapp_daily_limit: 0 });
    await world.pool.query('update leads set is_active = false where id = $1', [clara.leadId]);
    await world.advanceClock(DAY);
    expect([await boris.sees(), await world.reasonOf(boris.leadId)]).toEqual([[], 'limit_zero']);
    await dora.writes('Hello');
    await world.drain();
    await world.pool.query("update leads set stage = 'initial' where id = $1", [dora.leadId]);
    await world.setFirstMessages({});
    await world.advanceClock(DAY);
    expect(await boris.sees()).toEqual(['us: Good day!']);
    expect([await clara.sees(), await world.reasonOf(clara.leadId)]).toEqual([[], 'inactive']);
    expect(await world.reasonOf(dora.leadId)).toBe('talked');
    expect((await dora.sees()).filter((one) => one === 'us: Good day!')).toEqual([]);
  });

  it("keeps to the lead's working hours, and delays nobody else meanwhile", async () => {
    await world.setFirstMessages({ initial_message_send_at: '06:00', add_interval_seconds: 60 });
    await world.setWorkingHours('09:00', '18:00', 'Europe/Moscow');
    await world.advanceClockTo('05:00');
    const far = await world.createLead('Far', { zone: 'America/New_York' });
    const near = await world.createLead('Near');
    const there = await world.createLead('There', { zone: 'Asia/Tokyo' });
    await world.advanceClock(DAY);
    const sent = await world.sentMessages();
    // 06:00 UTC is 09:00 in Moscow and 15:00 in Tokyo; New York opens last.
    expect(sent.map((one) => one.lead)).toEqual(['Near', 'There', 'Far']);
    const hour = (index: number, zone: string) =>
      Number(
        new Date(sent[index]?.at ?? 0).toLocaleString('en-GB', { timeZone: zone, hour: '2-digit', hourCycle: 'h23' }),
      );
    expect([hour(0, 'Europe/Moscow'), hour(1, 'Asia/Tokyo'), hour(2, 'America/New_York')]).toEqual([9, 15, 9]);
    expect(await world.reasonOf(far.leadId)).not.toBe('hours');
    expect([await near.sees(), await there.sees()]).toEqual([['us: Good day!'], ['us: Good day!']]);
  });

  it('keeps the interval and the daily limit', async () => {
    await world.setFirstMessages({ add_interval_seconds: 600, whatsapp_daily_limit: 3 });
    await world.advanceClockTo('10:00');
    for (const name of ['A', 'B', 'C', 'D', 'E']) await world.createLead(name);
    await world.advanceClock(12 * HOUR);
    const first = times(await world.sentMessages());
    expect(first).toHaveLength(3);
    expect((first[1] ?? 0) - (first[0] ?? 0)).toBeGreaterThanOrEqual(600);
    expect((first[2] ?? 0) - (first[1] ?? 0)).toBeGreaterThanOrEqual(600);
    await world.advanceClock(DAY);
    const all = await world.sentMessages();
    expect(all.map((one) => one.lead)).toEqual(['A', 'B', 'C', 'D', 'E']);
    // The next UTC day begins at midnight and frees its slots; its first messages begin at its own 'Send at'.
    expect(all.slice(3).map((one) => one.at.slice(11, 16))).toEqual(['10:30', '10:40']);
  });

  it('goes to one address once, and refers another lead with it to the first', async () => {
    await world.setFirstMessages({});
    await world.advanceClockTo('08:00');
    const anna = await world.createLead('Anna');
    const twin = await world.createLead('Twin');
    await world.pool.query('update contacts set contact = $2, address = $2 where id = $1', [
      twin.contactId,
      anna.address,
    ]);
    await world.advanceClock(DAY);
    expect(await anna.sees()).toEqual(['us: Good day!']);
    expect(['person_known', 'address_busy']).toContain(await world.reasonOf(twin.leadId));
    // Neither moving the lead back nor another lead causes a second one.
    await world.pool.query("update leads set stage = 'initial' where id = $1", [anna.leadId]);
    await world.advanceClock(DAY);
    expect(await anna.sees()).toEqual(['us: Good day!']);
  });

  it('returns its quota when the contact is refused, and tries the other contact once', async () => {
    await world.setFirstMessages({ whatsapp_daily_limit: 1, tg_daily_limit: 1 });
    await world.advanceClockTo('08:00');
    const anna = await world.createLead('Anna');
    await world.pool.query(
      `insert into contacts (lead_id, product_id, contact, contact_type, address) values ($1, $2, 'anna_tg', 'telegram', 'anna_tg')`,
      [anna.leadId, world.productId],
    );
    await world.control.putPhone('anna_tg', 'Anna');
    const boris = await world.createLead('Boris');
    await world.control.setFaults([{ kind: 'wazzup24.refuse', code: 'BAD_CONTACT', times: 1 }]);
    await world.advanceClock(DAY);
    const { rows } = await world.pool.query(
      `select l.name, c.contact_type, m.status from messages m join contacts c on c.id = m.contact_id join leads l on l.id = c.lead_id order by m.id`,
    );
    expect(rows).toEqual(
      expect.arrayContaining([
        { name: 'Anna', contact_type: 'whatsapp', status: 'error' },
        { name: 'Anna', contact_type: 'telegram', status: 'read' },
        { name: 'Boris', contact_type: 'whatsapp', status: 'read' },
      ]),
    );
    expect(rows).toHaveLength(3);
    expect(await boris.sees()).toEqual(['us: Good day!']);
  });

  it('keeps limit and interval when it is retried after a temporary refusal', async () => {
    await world.setFirstMessages({ add_interval_seconds: 300, whatsapp_daily_limit: 2 });
    await world.advanceClockTo('10:00');
    for (const name of ['A', 'B', 'C']) await world.createLead(name);
    await world.control.setFaults([{ kind: 'wazzup24.rate_limited', times: 2 }]);
    await world.advanceClock(10 * HOUR);
    const at = times(await world.sentMessages());
    expect(at).toHaveLength(2);
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(300);
    const { rows } = await world.pool.query('select count(*)::int as taken from first_message_quota');
    expect(rows).toEqual([{ taken: 2 }]);
  });

  it.each(['a prepared message', "the settings' own text"])(
    'is not sent by %s with an empty variable, which the reason names',
    async (source) => {
      const text = 'Good day, {{ lead.crm_fields.salutation }}!';
      await world.setFirstMessages(
        source === 'a prepared message'
          ? {
              initial_message_prepared_message_id: await world.addPreparedMessage(text, 'initial'),
              initial_message_text: null,
            }
          : { initial_message_text: text },
      );
      await world.advanceClockTo('08:00');
      const anna = await world.createLead('Anna');
      await world.advanceClock(DAY);
      expect(await anna.sees()).toEqual([]);
      const { rows } = await world.pool.query<{ reason: string }>(
        `select reason->>'reason' as reason from outreach where lead_id = $1`,
        [anna.leadId],
      );
      expect(rows[0]?.reason).toContain('lead.crm_fields.salutation');
      await world.pool.query(`update leads set crm_fields = '{"salutation": "Ms Miller"}' where id = $1`, [
        anna.leadId,
      ]);
      await world.advanceClockTo('10:29');
      expect(await anna.sees()).toEqual([]);
      await world.advanceClockTo('10:31');
      expect(await anna.sees()).toEqual(['us: Good day, Ms Miller!']);
    },
  );

  it('keeps the interval to one that another worker claims at the same time', async () => {
    const text = {
      initial_message_prepared_message_id: await world.addPreparedMessage('Hello', 'initial'),
      initial_message_text: null,
    };
    await world.setFirstMessages({ add_interval_seconds: 60, ...text });
    await world.advanceClockTo('08:00');
    await world.createLead('Anna');
    const waits = async (table: string) => {
      const { rows } = await world.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
        [`%${table}%`],
      );
      return rows.length > 0;
    };
    const [texts, other] = [await world.pool.connect(), await world.pool.connect()];
    let claimed = 0;
    try {
      await texts.query('begin');
      await texts.query('lock table prepared_messages in access exclusive mode');
      const moved = world.advanceClock(3 * HOUR);
      await world.waitUntil(() => waits('prepared_messages'), 'the worker reads the text');
      await other.query('begin');
      await other.query('select 1 from outreach_products where product_id = $1 for update', [world.productId]);
      await texts.query('rollback');
      await world.waitUntil(() => waits('outreach_products'), 'the worker waits for the queue');
      const { rows: last } = await other.query<{ at: Date }>(
        'update outreach_products set last_first_message_at = domain_now() where product_id = $1 returning last_first_message_at as at',
        [world.productId],
      );
      claimed = (last[0]?.at ?? new Date(Number.NaN)).getTime() / 1000;
      await other.query('commit');
      await moved;
    } finally {
      // Closing the connection ends a transaction that a failure left open.
      for (const one of [texts, other]) one.release(true);
    }
    const [sent] = times(await world.sentMessages());
    expect((sent ?? 0) - claimed).toBeGreaterThanOrEqual(60);
  });

  it('is sent to a lead that joins the queue while another transaction has locked it', async () => {
    await world.setFirstMessages({});
    await world.advanceClockTo('10:00');
    const anna = await world.createLead('Anna');
    await world.drain();
    const lastLock = async () =>
      (await world.pool.query<{ xmax: string }>('select xmax::text from outreach')).rows[0]?.xmax;
    const holder = await world.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select 1 from outreach_products where product_id = $1 for update', [world.productId]);
      const before = await lastLock();
      await world.pool.query("update installation set clock_offset = clock_offset + interval '1 hour'");
      await world.waitUntil(async () => (await lastLock()) !== before, 'the lead is evaluated');
      await holder.query('commit');
      await world.waitUntil(async () => (await anna.sees()).length === 1, 'the message is there');
    } finally {
      holder.release(true);
    }
  });

  it('is sent to the others of a batch when that of one cannot be stored', async () => {
    await world.setFirstMessages({});
    await world.advanceClockTo('08:00');
    const [anna, boris, clara] = [
      await world.createLead('Anna'),
      await world.createLead('Boris'),
      await world.createLead('Clara'),
    ];
    await world.pool.query(`
      create function refuse_boris() returns trigger language plpgsql as
        $$ begin if new.contact_id = ${boris.contactId} then raise exception 'no'; end if; return new; end $$;
      create trigger refuse_boris before insert on messages for each row execute function refuse_boris()`);
    try {
      await world.advanceClock(3 * HOUR);
      expect([await anna.sees(), await boris.sees(), await clara.sees()]).toEqual([
        ['us: Good day!'],
        [],
        ['us: Good day!'],
      ]);
      expect(await world.reasonOf(boris.leadId)).toBe('text');
    } finally {
      await world.pool.query('drop function refuse_boris cascade');
    }
  });

  it('waits while the channel is inactive', async () => {
    await world.setFirstMessages({});
    await world.advanceClockTo('08:00');
    const anna = await world.createLead('Anna');
    await world.pool.query('update channels set is_active = false where id = $1', [world.whatsapp.id]);
    await world.advanceClock(DAY);
    expect([await anna.sees(), await world.reasonOf(anna.leadId)]).toEqual([[], 'channel']);
    await world.pool.query('update channels set is_active = true where id = $1', [world.whatsapp.id]);
    await world.advanceClockTo('10:29');
    expect([await anna.sees(), await world.reasonOf(anna.leadId)]).toEqual([[], 'send_at']);
    await world.advanceClockTo('10:31');
    expect(await anna.sees()).toEqual(['us: Good day!']);
  });

  it("is due at 'Send at' in the product's time zone, and limited by its days", async () => {
    await world.pool.query("update products set timezone = 'Asia/Tokyo' where id = $1", [world.productId]);
    await world.setFirstMessages({ initial_message_send_at: '07:00', whatsapp_daily_limit: 2 });
    // 07:00 in Tokyo is 22:00 UTC of the day before, and the day changes at 15:00 UTC.
    await world.advanceClockTo('21:00');
    for (const name of ['A', 'B', 'C', 'D', 'E']) await world.createLead(name);
    await world.advanceClock(2 * DAY);
    const sent = (await world.sentMessages()).map((one) => one.at.slice(11, 16));
    expect(sent).toEqual(['22:00', '22:00', '22:00', '22:00']);
  });

  it("keeps the limit across a change of the product's time zone", async () => {
    const operator = await world.operator();
    const zone = async (timezone: string) => {
      const { body } = await operator.call(products.get, { params: { id: world.productId } });
      const { name, company_id, config } = body as Product;
      const answer = await operator.call(products.replace, {
        params: { id: world.productId },
        body: { name, company_id, config, timezone },
      });
      expect(answer.status).toBe(200);
    };
    await world.setFirstMessages({ initial_message_send_at: '00:00', whatsapp_daily_limit: 2 });
    await world.advanceClockTo('20:00');
    for (const name of ['A', 'B', 'C', 'D', 'E']) await world.createLead(name);
    await world.advanceClockTo('00:30');
    expect(await world.sentMessages()).toHaveLength(2);
    // In Moscow the next day begins at 21:00 UTC, before the UTC day is over.
    await zone('Europe/Moscow');
    await world.advanceClockTo('20:59');
    expect(await world.sentMessages()).toHaveLength(2);
    await world.advanceClock(20 * HOUR);
    expect((await world.sentMessages()).map((one) => one.at.slice(11, 16))).toEqual(['00:00', '00:00']);
    await world.advanceClockTo('21:05');
    expect((await world.sentMessages()).slice(2).map((one) => one.at.slice(11, 16))).toEqual(['21:00', '21:00']);
  });

  it('follows a change of settings at once', async () => {
    await world.setFirstMessages({ initial_message_send_at: '20:00' });
    await world.advanceClockTo('08:00');
    const anna = await world.createLead('Anna');
    await world.advanceClock(HOUR);
    expect(await anna.sees()).toEqual([]);
    await world.setFirstMessages({ initial_message_send_at: '09:30', initial_message_text: 'Hello there' });
    await world.advanceClock(HOUR);
    expect(await anna.sees()).toEqual(['us: Hello there']);
  });
});
