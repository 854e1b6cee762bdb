/**
 * The cost of one exchange: from a lead's message in the vendor's hook to the answer on the lead's phone. Many leads
 * write at once over many channels, and the model answers at once. The CPU time of server and database is measured,
 * because it carries over to other machines better than a rate does. `--keys N --leads N --rounds N`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { registerHook } from '../../channels/hookContract.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import { prompts } from '../../prompts/contract.ts';
import type { World } from '../../testing/world.ts';
import { callOrThrow, countRows } from '../harness/calls.ts';
import { definePart } from '../harness/command.ts';
import { insertLeads } from '../harness/leads.ts';
import { median, mediansOf } from '../harness/load.ts';
import { clusterCpuMs, cpuMs } from '../harness/processes.ts';
import { format, formatCount, table } from '../harness/report.ts';
import { withNodes } from '../harness/world.ts';
import { type BenchProduct, createProducts } from './benchProducts.ts';

const DEBOUNCE_SECONDS = 1;
/** Messages per second, inbound and outbound together: half of them are exchanges. */
const TARGET_RATE = 1000;
/**
 * Times that all leads write before a round is measured. A connection plans a statement of a function anew for five calls
 * after the function was replaced, and sets of exchanges make few calls.
 */
const WARM_UPS = 4;
/** Exchanges measured one after another. */
const ALONE = 40;
/** PostgreSQL counts the commits of a connection when it next commits, or has done nothing for ten seconds. */
const COUNTED_MS = 11_000;
/** How long an idle node is watched. */
const IDLE_MS = 20_000;
/** The largest share of an exchange that the ledger of outcomes may take. */
const LEDGER_SHARE = 0.05;
/** The first minute of an installation. */
const FRESH_MS = 60_000;
/** Planned maximum share of a core's time. */
const BUSY = 0.6;

export const exchange = definePart({
  heading: 'One exchange',
  options: { keys: [50, 5], leads: [1000, 20], rounds: [3, 1] },
  run: ({ keys, leads, rounds }) =>
    withNodes(
      {
        production: true,
        env: { RAPPORT_REPLY_DEBOUNCE_SECONDS: String(DEBOUNCE_SECONDS) },
        postgres: {
          shared_preload_libraries: 'pg_stat_statements',
          'pg_stat_statements.track': 'all',
        },
      },
      async (world, [node], cluster) => {
        await world.pool.query('create extension pg_stat_statements');
        const products = await createProducts(world, keys);
        await connectProducts(world, products);
        let phones = await createPhones(world, products, leads);
        const read = (): Promise<Counters> => readCounters(world.pool, node?.pid(), cluster.postmaster);
        const freshMs = await runFresh(world, phones, read);
        const ledger = await readLedgerFunctions(world.pool);
        const measured: (Counters & { perSecond: number })[] = [];
        const withoutLedger: Counters[] = [];
        for (let round = 0; round <= 2 * rounds + 1; round++) {
          const isCounted = round % 2 === 0;
          // Each round has leads of its own, so that no dialogue is longer in the later ones.
          phones = await createPhones(world, products, leads);
          if (!isCounted) await emptyFunctions(world.pool, ledger);
          // Plans made for empty tables would make each round dearer than the one before.
          await world.pool.query('analyze');
          for (let one = 1; one <= WARM_UPS; one++) await runExchanges(world, phones, `warm-up ${round} ${one}`);
          await world.control.untilQuiet();
          const before = await read();
          const seconds = await runExchanges(world, phones, `${round}`);
          // The statuses of the last answers belong to this round, and to its triggers.
          await world.control.untilQuiet();
          const after = await read();
          const each = (key: keyof Counters): number => (after[key] - before[key]) / leads;
          const counters = {
            server: each('server'),
            database: each('database'),
            commits: each('commits'),
            statements: each('statements'),
          };
          if (isCounted) measured.push({ perSecond: leads / seconds, ...counters });
          else withoutLedger.push(counters);
          for (const { definition } of ledger) await world.pool.query(definition);
        }
        const alone = await runAlone(world, phones.slice(0, ALONE), read);
        // The first rounds warm up.
        const { perSecond, server: serverMs, database: databaseMs, commits, statements } = mediansOf(measured.slice(1));
        const ledgerMs = median(
          measured.slice(1).map((one, place) => cpuOf(one) - meanCpu(withoutLedger.slice(place, place + 2))),
        );
        const share = ledgerMs / (serverMs + databaseMs);
        const cores = (ms: number): string => formatCount(Math.ceil(((TARGET_RATE / 2) * ms) / 1000 / BUSY));
        return {
          text: `${formatCount(leads)} leads over ${keys} channels write at once; a model that answers at once answers each, and the vendor's limit on each channel holds. From the first message to the last answer on its phone, less the debounce: **${format(perSecond)}** exchanges a second, both roles in one process, emulators and PostgreSQL on the same machine. An exchange is the hook, the message, the turn, the run, the answer, its three statuses.

${table(
  ['of one exchange', 'many at once', 'alone', 'of which idle'],
  [
    ['CPU of the server', format(serverMs, 'ms'), '', ''],
    ['CPU of PostgreSQL, all its processes', format(databaseMs, 'ms'), '', ''],
    [
      'of both, the ledger of outcomes: each round less those before and after it, in which its functions do nothing',
      `${format(ledgerMs, 'ms')}, ${formatShare(share)}`,
      '',
      '',
    ],
    [
      `CPU of PostgreSQL in the first ${FRESH_MS / 1000} s after the leads were stored, without statistics that somebody asked for`,
      format(freshMs, 'ms'),
      '',
      '',
    ],
    ['committed transactions', commits, alone.commits, alone.idle.commits],
    ['statements', statements, alone.statements, alone.idle.statements],
    ['message to answer, less the debounce', '', format(alone.latencyMs, 'ms'), ''],
  ],
)}

Alone: ${ALONE} leads write one after another, each when the exchange before it has ended; what the node does meanwhile without any exchange, and for ten seconds after the last, is included, and told beside it.

By multiplication, not measured: ${formatCount(TARGET_RATE)} messages a second, half of them from leads, with cores ${BUSY * 100} % busy take ${cores(serverMs)} cores of servers and ${cores(databaseMs)} of PostgreSQL like these.`,
          violations:
            share > LEDGER_SHARE
              ? [
                  `the ledger of outcomes takes ${formatShare(share)} of an exchange, the target is ${formatShare(LEDGER_SHARE)}`,
                ]
              : [],
        };
      },
    ),
});

interface Counters {
  /** Milliseconds of CPU. */
  readonly server: number;
  readonly database: number;
  readonly commits: number;
  /** Statements of the product; those of transactions themselves are not counted. */
  readonly statements: number;
}

const cpuOf = ({ server, database }: Counters): number => server + database;
const meanCpu = (rounds: readonly Counters[]): number =>
  rounds.reduce((sum, one) => sum + cpuOf(one), 0) / rounds.length;

const formatShare = (share: number): string => `${(share * 100).toFixed(1)} %`;

async function readCounters(pool: pg.Pool, serverPid: number | undefined, postmaster: number): Promise<Counters> {
  const commits = await readCommits(pool);
  const { rows } = await pool.query<{ count: number }>(
    `select sum(calls)::float8 as count from pg_stat_statements where toplevel and query !~* '^(begin|start|commit|rollback)'`,
  );
  return {
    server: cpuMs(serverPid) ?? Number.NaN,
    database: clusterCpuMs(postmaster) ?? Number.NaN,
    commits,
    statements: rows[0]?.count ?? 0,
  };
}

interface TriggerFunction {
  readonly name: string;
  readonly definition: string;
}

/** Read the functions by whose triggers exchanges keep the ledger of outcomes. */
async function readLedgerFunctions(pool: pg.Pool): Promise<TriggerFunction[]> {
  const { rows } = await pool.query<TriggerFunction>(
    'select proname as name, pg_get_functiondef(oid) as definition from pg_proc where proname = any($1)',
    [['count_messages', 'count_runs', 'stamp_event', 'count_event', 'stamp_run', 'count_run']],
  );
  return rows;
}

/** Have trigger functions do nothing. Switching triggers off would make every connection plan its statements again. */
async function emptyFunctions(pool: pg.Pool, functions: readonly TriggerFunction[]): Promise<void> {
  for (const { name } of functions)
    await pool.query(
      `create or replace function ${name}() returns trigger language plpgsql as 'begin return new; end'`,
    );
}

/** Return the committed transactions of this database; the server reports them a moment later. */
export async function readCommits(pool: pg.Pool): Promise<number> {
  await pause(1500);
  const { rows } = await pool.query<{ count: number }>(
    'select xact_commit::float8 as count from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.count ?? 0;
}

/** Register the hooks of every channel, and give every product a prompt to answer from. */
async function connectProducts(world: World, products: readonly BenchProduct[]): Promise<void> {
  const admin = await world.operator();
  const text =
    'You sell kitchens. {{ lead.name }} writes to you. Delivery takes ten days. A kitchen costs 3,000 euros.';
  for (const { id, channelId } of products) {
    await callOrThrow(admin, registerHook, { params: { id: channelId }, query: { replace: true } });
    await callOrThrow(admin, prompts.create, { body: { product_id: id, name: 'Vera', type: 'prompt', text } });
  }
}

type Phones = Awaited<ReturnType<typeof createPhones>>;

/** Create leads spread over the products, with phones. */
async function createPhones(world: World, products: readonly BenchProduct[], count: number) {
  const refs = new Map(products.map(({ id, channelRef }) => [id, channelRef]));
  const leads = await insertLeads(world.pool, { count, products, stage: 'started' });
  for (const { address } of leads) await world.control.putPhone(address, address);
  return leads.map(({ address, productId }) => ({ address, channelRef: refs.get(productId) ?? '' }));
}

/** Run exchanges for a minute in a database whose tables were just filled. Returns what one takes of PostgreSQL. */
async function runFresh(world: World, phones: Phones, read: () => Promise<Counters>): Promise<number> {
  const before = await read();
  const endsAt = performance.now() + FRESH_MS;
  let sets = 0;
  for (; sets === 0 || performance.now() < endsAt; sets++) await runExchanges(world, phones, `fresh ${sets}`);
  await world.control.untilQuiet();
  return ((await read()).database - before.database) / (sets * phones.length);
}

/**
 * Send one message from each lead, one after another. Returns the median time of one exchange, its counts, and how much
 * of them an idle node does in the same time.
 */
async function runAlone({ control }: World, phones: Phones, read: () => Promise<Counters>) {
  const latencies: number[] = [];
  await pause(COUNTED_MS);
  const [idleFrom, idleAt] = [await read(), performance.now()];
  await pause(IDLE_MS);
  const [before, beforeAt] = [await read(), performance.now()];
  for (const { address, channelRef: channelId } of phones) {
    const ours = async () => (await control.thread(address)).messages.filter(({ author }) => author !== 'lead').length;
    const expected = (await ours()) + 1;
    const startedAt = performance.now();
    await control.write(address, { channelId, name: address, text: 'And what does it cost?' });
    while ((await ours()) < expected) await pause(5);
    latencies.push(performance.now() - startedAt - DEBOUNCE_SECONDS * 1000);
    await control.untilQuiet();
  }
  await pause(COUNTED_MS);
  const [after, afterAt] = [await read(), performance.now()];
  const share = (afterAt - beforeAt) / (beforeAt - idleAt);
  const each = (key: keyof Counters): number => (after[key] - before[key]) / phones.length;
  const idle = (key: keyof Counters): number => ((before[key] - idleFrom[key]) * share) / phones.length;
  return {
    commits: each('commits'),
    statements: each('statements'),
    idle: { commits: idle('commits'), statements: idle('statements') },
    latencyMs: median(latencies),
  };
}

/** Send one message from every lead. Returns the seconds until all have an answer, without the debounce. */
async function runExchanges({ control, pool }: World, phones: Phones, name: string): Promise<number> {
  const { rows } = await pool.query<{ last: string }>('select coalesce(max(id), 0) as last from messages');
  // By the primary key: a count of all messages would make each round dearer than the one before.
  const answered = (): Promise<number> =>
    countRows(
      pool,
      `messages where id > ${rows[0]?.last} and side = 'bot' and status in ('sent', 'delivered', 'read')`,
    );
  const expected = phones.length;
  const startedAt = performance.now();
  // Short, and another one each time: who says the same again and again, at once, is taken for a program.
  const text = `Delivery ${name.replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit))).replaceAll(/[^a-z]/g, '')}?`;
  const limit = createSemaphore(16);
  await Promise.all(
    phones.map(({ address, channelRef: channelId }) =>
      limit(() => control.write(address, { channelId, name: address, text })),
    ),
  );
  while ((await answered()) < expected) {
    if (performance.now() - startedAt > 300_000) throw new Error(`${await answered()} of ${expected} answers are sent`);
    await pause(100);
  }
  return (performance.now() - startedAt) / 1000 - DEBOUNCE_SECONDS;
}
