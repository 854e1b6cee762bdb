/** The world of a simulated month with the whole engine: a database, the emulators, and server processes that are killed. */
import { setOwner } from '../../conversations/contract.ts';
import { deactivateLead } from '../../leads/contract.ts';
import { findLedgerDifferences } from '../../outcomes/store/ledger.ts';
import { loadRehearsalInput, runRehearsal } from '../../outreach/rehearsal.ts';
import { createSecretCipher } from '../../platform/secretCipher.ts';
import { products } from '../../products/contract.ts';
import { prompts } from '../../prompts/contract.ts';
import { jumpTo, nextDue, waitForDueWork } from '../../sandbox/domainClock.ts';
import type { Client } from '../../testing/client.ts';
import { connectHooks } from '../../testing/serverProcess.ts';
import { SECRET_KEY, type TestLead, type World } from '../../testing/world.ts';
import { callOrThrow } from '../harness/calls.ts';
import { openProductPool, startNodes, withWorld } from '../harness/world.ts';
import { type SimulatedProduct, type SimulatedSettings, type StepTexts, storedSettings } from './product.ts';
import { formatTime, type LeadState, type Row, type SimulatedWorld, type ThreadRow } from './simulation.ts';

/** Run the work in a world whose clock shows `from`. */
export function withRealWorld<T>(
  { seed, from, product }: { seed: number; from: (now: number) => number; product: SimulatedProduct },
  work: (world: SimulatedWorld) => Promise<T>,
): Promise<T> {
  // Only processes are killed, not the machine, so writes need not reach the disk.
  const postgres = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  return withWorld({ postgres }, async (world) => {
    await world.control.changeSettings({ seed, statuses: { sentMs: 1, deliveredMs: 2, readMs: 4 } });
    return runInRealWorld(world, { from, product }, work);
  });
}

/** The clock of the world, which stops at what is due. */
function clockOf({
  clock,
  control,
  startsAt,
}: {
  clock: Parameters<typeof nextDue>[0];
  control: World['control'];
  startsAt: number;
}): Pick<SimulatedWorld, 'nextDue' | 'jumpTo' | 'settle'> {
  let doneUntil = formatTime(startsAt);
  return {
    nextDue: async (to) => {
      const due = await nextDue(clock, { after: doneUntil, before: formatTime(to) });
      return due === null ? null : Date.parse(due);
    },
    jumpTo: (at) => jumpTo(clock, control, formatTime(at)),
    async settle() {
      doneUntil = await waitForDueWork(clock, control, 8);
    },
  };
}

export async function runInRealWorld<T>(
  world: World,
  { from, product }: { from: (now: number) => number; product: SimulatedProduct },
  work: (world: SimulatedWorld) => Promise<T>,
): Promise<T> {
  const { pool, control, productId } = world;
  const db = openProductPool(world.databaseUrl, 3);
  const clock = { pool: db.pool };
  const now = () => numberOf(pool, 'extract(epoch from domain_now()) * 1000');
  await jumpTo(clock, control, formatTime(from(await now())));
  const server = await startServers(world);
  await connectHooks(world);
  const operator = await world.operator();
  await pool.query('update products set timezone = $2 where id = $1', [productId, product.zone]);
  const texts = await createTexts(operator, world);
  await storeSettings(world, product.settings, texts);
  const leads = new Map<number, TestLead>();
  const seen = new Set<number>();
  let latest = 0;
  const leadOf = (id: number): TestLead => {
    const lead = leads.get(id);
    if (!lead) throw new Error(`No lead ${id}`);
    return lead;
  };
  const result = await work({
    now,
    change: (settings) => changeSettings(world, { operator, settings, texts }),
    ...clockOf({ clock, control, startsAt: await now() }),
    async arrive({ name, messenger, zone, twinOf }) {
      const before = twinOf === null ? null : leadOf(twinOf);
      const created = await world.lead(name, { messenger, stage: 'initial', dialogue: false });
      const { leadId, contactId } = created;
      if (zone !== null) await pool.query('update leads set timezone = $2 where id = $1', [leadId, zone]);
      if (before)
        await pool.query('update contacts set contact = $2, address = $2 where id = $1', [contactId, before.address]);
      // One person with one phone, who answers where they were written to, whichever of the two leads that is.
      const phone = before ?? created;
      const writes = async (text: string) => {
        await control.write(phone.address, { channelId: world[messenger].ref, name, text });
      };
      leads.set(leadId, { ...created, address: phone.address, thread: () => phone.thread(), writes });
      return leadId;
    },
    write: (lead, text) => leadOf(lead).writes(text),
    async setOwner(lead, owner) {
      const id = await leadOf(lead).dialogueId();
      return (await operator.call(setOwner, { params: { id }, body: { owner } })).status === 200;
    },
    deactivate: async (id) => (await operator.call(deactivateLead, { params: { id } })).status === 200,
    fail: async (kind, times) => void (await control.setFaults([{ kind, times }])),
    async setChannelActive(type, isActive) {
      await pool.query('update channels set is_active = $2 where id = $1', [world[type].id, isActive]);
    },
    kill: () => server.kill(),
    async newlySent() {
      const { rows } = await pool.query<{ id: number; lead: number; at: number }>(NEWLY_SENT, [latest / 1000]);
      const fresh = rows.filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      latest = Math.max(latest, ...fresh.map(({ at }) => at));
      return fresh;
    },
    rows: async () => (await pool.query<Row>(ROWS)).rows,
    thread: async () => (await pool.query<ThreadRow>(THREAD)).rows,
    leadStates: async () => (await pool.query<LeadState>(LEAD_STATES)).rows,
    phones: () => readPhones(world, leads),
    findLedgerDifferences: () => describeLedgerDifferences(pool),
    expired: async () => (await pool.query<{ lead: number; at: number }>(EXPIRED)).rows,
    async rehearse(days) {
      const set = await loadRehearsalInput({ reader: db.reader, hasher: createSecretCipher(SECRET_KEY) }, productId);
      if (!set) throw new Error('no product');
      return { from: set.from, rehearsal: runRehearsal(set, set.settings, days) };
    },
  });
  await server.stop();
  await db.close();
  return result;
}

async function describeLedgerDifferences(pool: World['pool']): Promise<string[]> {
  const { differences } = await findLedgerDifferences(pool);
  return differences.map((one) => `the ledger differs from the recount: ${JSON.stringify(one)}`);
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;

async function numberOf(pool: World['pool'], expression: string): Promise<number> {
  const { rows } = await pool.query<{ value: number }>(`select (${expression})::float8 as value`);
  return rows[0]?.value ?? 0;
}

const SENT = "('sent', 'delivered', 'read', 'unconfirmed')";

const NEWLY_SENT = `
  select m.id::int as id, c.lead_id::int as lead, ${ms('m.sent_at')} as at
    from messages m join contacts c on c.id = m.contact_id
   where m.side = 'bot' and m.sent_at > to_timestamp($1) - interval '10 minutes' order by m.sent_at, m.id`;

const ROWS = `
  select m.id::int, c.lead_id::int as lead, m.dialogue_id::int as dialogue, c.contact_type as type, m.origin, m.ping_step_number::int as step,
         m.follow_up_anchor_id::int as anchor, ${ms('a.thread_at')} as anchor_at,
         ${ms('d.created_at')} as begun_at, ${ms('m.thread_at')} as at, c.address
    from messages m join contacts c on c.id = m.contact_id join dialogues d on d.id = m.dialogue_id left join messages a on a.id = m.follow_up_anchor_id
   where m.side = 'bot' and m.author = 'bot' and m.status in ${SENT}
   order by m.thread_at, m.id`;

const THREAD = `
  select m.dialogue_id::int as dialogue, c.lead_id::int as lead, m.side, m.ping_step_number is not null as "isFollowUp", ${ms('m.thread_at')} as at
    from messages m join contacts c on c.id = m.contact_id
   where m.status = 'inbound' or m.status in ${SENT} order by m.thread_at, m.id`;

const EXPIRED = `
  select lead_id::int as lead, ${ms('created_at')} as at from lead_events
   where event_type = 'stage_changed' and event_data->>'to' = 'ignore' order by created_at`;

const LEAD_STATES = `
  select l.id::int as lead, l.stage, ${ms('l.created_at')} as eligible,
         exists (select 1 from contacts k join messages m on m.contact_id = k.id where k.lead_id = l.id) as written,
         exists (select 1 from contacts k
                   join contacts o on o.product_id = k.product_id and o.address = k.address and o.lead_id <> k.lead_id
                   join messages m on m.contact_id = o.id where k.lead_id = l.id) as other,
         last.side = 'bot' as last_ours, ${ms('last.thread_at')} as last_at, last.status as last_status,
         exists (select 1 from messages w where w.dialogue_id = d.id and w.status in ('scheduled', 'sending')) as waiting,
         coalesce(d.owner = 'human', false) as human, ${ms('d.last_user_msg_at')} as user_at,
         (select ${ms('max(a.thread_at)')} from messages a where a.dialogue_id = d.id and a.side = 'bot' and a.status in ('sent', 'delivered', 'read')
             and a.ping_step_number is null and a.thread_at > d.last_user_msg_at) as answered_at,
         ${ms('d.created_at')} as begun_at, step.at as step_at, coalesce(step.count, 0) as steps, o.reason::text as why
    from leads l join outreach o on o.lead_id = l.id
    left join contacts c on c.lead_id = l.id left join dialogues d on d.contact_id = c.id
    left join lateral (select m.side, m.thread_at, m.status from messages m
                        where m.dialogue_id = d.id and m.status not in ('cancelled', 'scheduled', 'sending')
                        order by m.thread_at desc, m.id desc limit 1) last on true
    left join lateral (select ${ms('max(p.thread_at)')} as at, count(*)::int as count from messages p
                        where p.dialogue_id = d.id and p.origin = 'ping' and p.status <> 'cancelled'
                          and p.follow_up_anchor_id = coalesce(d.last_user_msg_id, 0)) step on true
   where l.is_active and l.stage in ('initial', 'started', 'ongoing', 'pending')`;

async function readPhones({ pool }: World, leads: ReadonlyMap<number, TestLead>) {
  const { rows } = await pool.query<{ address: string; stored: number }>(
    `select c.address, count(*)::int as stored from messages m join contacts c on c.id = m.contact_id
      where m.side = 'bot' and m.status in ('sent', 'delivered', 'read', 'unconfirmed', 'error') group by c.address`,
  );
  const stored = new Map(rows.map((row) => [row.address, row.stored]));
  const phones = new Map<string, { onPhone: number; stored: number }>();
  for (const lead of leads.values()) {
    if (phones.has(lead.address)) continue;
    const ours = (await lead.thread()).filter((one) => one.author !== 'lead').length;
    phones.set(lead.address, { onPhone: ours, stored: stored.get(lead.address) ?? 0 });
  }
  return phones;
}

/** Change settings as an operator does: through the API, which decides from when they count. */
async function changeSettings(
  world: World,
  { operator, settings, texts }: { operator: Client; settings: SimulatedSettings; texts: StepTexts },
): Promise<void> {
  const { config } = storedSettings(settings, texts);
  await callOrThrow(operator, products.change, { params: { id: world.productId }, body: { config } });
  await storeSettings(world, settings, texts);
}

async function storeSettings({ pool, productId }: World, settings: SimulatedSettings, texts: StepTexts): Promise<void> {
  const { config, schedule, pings } = storedSettings(settings, texts);
  await pool.query('update products set config = $2 where id = $1', [productId, config]);
  await pool.query(
    `insert into schedules (product_id, timezone, config) values ($1, $2, $3)
     on conflict (product_id) do update set timezone = excluded.timezone, config = excluded.config`,
    [productId, settings.zone, schedule],
  );
  await pool.query(
    `insert into ping_configs (product_id, is_enabled, config) values ($1, true, $2)
     on conflict (product_id) do update set config = excluded.config`,
    [productId, pings],
  );
}

/** Create what the steps of the sequence send: prepared messages first, then a prompt. */
async function createTexts(operator: Client, { pool, productId }: World): Promise<StepTexts> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into prepared_messages (product_id, name, type, message)
     values ($1, 'Once', 'ping', 'Are you still there, {{ lead.name }}?'), ($1, 'Twice', 'ping', 'May we help you choose?') returning id::int`,
    [productId],
  );
  const text = 'Write to {{ lead.name }} once more.\nThe showroom is open on Sundays.';
  const body = { product_id: productId, name: 'Nudge', type: 'ping', text } as const;
  const prompt_id = await callOrThrow(operator, prompts.create, { body });
  return [
    ...rows.map(({ id }) => ({ prepared_message_id: id, prompt_id: null })),
    { prepared_message_id: null, prompt_id },
  ];
}

/** Start a web process that keeps running, and a worker that may be killed. */
async function startServers(world: World) {
  const env = {
    // The clock triggers the sweeps; between its stops they process follow-up work.
    RAPPORT_SWEEP_SECONDS: '0.1',
    RAPPORT_REPLY_DEBOUNCE_SECONDS: '1',
    RAPPORT_LEASE_SECONDS: '1',
    RAPPORT_LOG_LEVEL: 'error',
  };
  const envs = ['web', 'worker'].map((role) => ({ ...env, RAPPORT_ROLES: role, RAPPORT_NODE_NAME: role }));
  const { nodes } = await startNodes(world, envs);
  return {
    async kill() {
      await nodes[1]?.kill();
      await nodes[1]?.start();
    },
    async stop() {
      for (const node of nodes.toReversed()) await node.stop();
    },
  };
}
