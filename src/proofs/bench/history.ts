/**
 * The effect of a growing history: the same requests and queries among 10,000 to 10,000,000 messages. `--history
 * 10000,100000` gives the sizes, `--rounds N` the rounds; `lists` asks for lists only, at `--sizes`.
 */
import { z } from 'zod';
import { claimTurns } from '../../conversations/store/turns.ts';
import { findOpenItems } from '../../inbox/store/chats.ts';
import { findOrphans } from '../../outbox/store/claims.ts';
import { lockDueDialogues } from '../../outbox/store/dueMessages.ts';
import type { Db } from '../../platform/db.ts';
import { ids } from '../../platform/ids.ts';
import { definePart, type Outcome, type Run } from '../harness/command.ts';
import { interleave, median, requestTimes, saturate, type Target, timed } from '../harness/load.ts';
import { format, formatCount, formatRatio, table } from '../harness/report.ts';
import { type Cluster, openProductPool, withCluster } from '../harness/world.ts';
import { type Dataset, openDataset } from './dataset.ts';
import { hookBody, JSON_HEADERS } from './environment.ts';

/** One question at every size, in milliseconds or per second (see `unit`). */
interface Question {
  readonly name: string;
  readonly unit: 'ms' | 'a second';
  readonly ours: readonly number[];
  /** The same question to the bare handler at the largest size; null if there is none. */
  readonly bare: number | null;
}

const GROWTH = 1.3;
/** Messages of the measured product that are due at once while the claim is measured: the same at every size. */
const DUE = 200;

export const lists = definePart({
  heading: 'Lists',
  options: { rounds: [7, 1], sizes: ['10000,1000000', '10000,20000'] },
  run: (settings) =>
    measure(settings, {
      target: GROWTH,
      ask: (datasets) => askPages(datasets, LISTS, settings.rounds * 15),
      intro:
        'The same rows match at every size; 25 rows a page, a member of one company of ten products signed in, every list narrowed to one product unless it names ten. The bare handler has the plain statement with the same conditions.',
    }),
});

export const history = definePart({
  heading: 'A history that grows',
  options: { rounds: [7, 1], history: ['10000,100000,1000000,10000000', '10000,20000'] },
  run: ({ history: sizes, ...settings }) =>
    measure(
      { ...settings, sizes },
      {
        target: GROWTH,
        ask: async (datasets) => [
          ...(await askPages(datasets, await pagesOf(datasets), settings.rounds * 5)),
          ...(await askQueues(datasets, settings.rounds * 3)),
          await askIngest(datasets),
        ],
        intro: 'As many hooks as messages lie processed in the inbox.',
      },
    ),
});

interface Measurement {
  /** Maximum ratio of the slowest size to the smallest. */
  readonly target: number;
  readonly intro: string;
  readonly ask: (datasets: readonly Dataset[]) => Promise<Question[]>;
}

/** Fill a database for each size and ask the questions of all of them in turn. */
function measure(
  { sizes: text, log }: Run & { readonly sizes: string },
  { target, intro, ask }: Measurement,
): Promise<Outcome> {
  const sizes = text.split(',').map(Number);
  return withCluster({}, async (cluster) => {
    const datasets: Dataset[] = [];
    try {
      for (const size of sizes) datasets.push(await openLogged(cluster, size, log));
      const gigabytes = await Promise.all(datasets.map(sizeOf));
      const questions = await ask(datasets);
      const isOver = (one: Question): boolean => growthOf(one) > target;
      const rows = questions.map((one) => [
        one.name,
        ...one.ours.map((value) => format(value, one.unit)),
        `**${growthOf(one).toFixed(2)}**${isOver(one) ? ', over' : ''}`,
        one.bare === null ? '' : format(one.bare, one.unit),
        formatRatio(one.ours.at(-1) ?? null, one.bare),
      ]);
      return {
        text: `A product has 1,000 messages and 100 leads at every size (the measured one 505 leads), ten products make a company, and the rows of all lie scattered among each other. ${intro} All sizes are asked in turn, one request at a time, medians until the last byte; none may take more than ${target} times as long as the smallest. The bare handler answers the same at the largest size.

${table(
  ['messages', ...sizes.map(formatCount), 'growth', 'bare, largest', 'ours to bare'],
  [...rows, ['on disk', ...gigabytes.map((one) => `${one.toFixed(2)} GB`), '', '', '']],
)}`,
        violations: questions
          .filter(isOver)
          .map(
            (one) =>
              `${one.name}: ${growthOf(one).toFixed(2)} times as slow in a longer history, the target is ${target}`,
          ),
      };
    } finally {
      for (const dataset of datasets) await dataset.close();
    }
  });
}

async function openLogged(cluster: Cluster, size: number, log: Run['log']): Promise<Dataset> {
  const startedAt = performance.now();
  const dataset = await openDataset(cluster, size);
  log(`${formatCount(size)} messages stored after ${Math.round((performance.now() - startedAt) / 1000)} s`);
  return dataset;
}

/** Return the ratio of the slowest size to the smallest: longer, or fewer per second. */
function growthOf({ ours, unit }: Question): number {
  const [first = Number.NaN] = ours;
  return unit === 'ms' ? Math.max(...ours) / first : first / Math.min(...ours);
}

interface Page {
  readonly name: string;
  readonly path: (dataset: Dataset) => string;
  /** Whether the bare handler has the same; its query, where it differs. */
  readonly bare?: true | ((dataset: Dataset) => string);
}

/** Half of the rows are newer than this: see the dataset. */
const HALF = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);

/** Return a list with and without total, of one product or of all ten that the member may see. */
function listPages(list: 'messages' | 'leads', name: string, query: string, ofTen = false): Page[] {
  return (['true', 'false'] as const).map((total) => {
    const address = (filter: string): string => `/v1/${list}/?${filter}limit=25&with_total=${total}&page=1&${query}`;
    const ofProduct = ({ world }: Dataset): string => address(`product_id=${world.productId}&`);
    return {
      name: `${list}, ${name}, ${total === 'true' ? 'with' : 'without'} total`,
      path: ofTen ? () => address('') : ofProduct,
      bare: ofTen ? ({ world }) => address(`company_id=${world.companyId}&`) : true,
    };
  });
}

const FILTERS = {
  messages: { filtered: `side=bot&status=read&created_from=${HALF}`, search: 'search=walnut' },
  leads: { filtered: `stage=ongoing&created_from=${HALF}`, search: 'search=olga' },
} as const;
const LISTS: readonly Page[] = (['messages', 'leads'] as const).flatMap((list) => [
  ...listPages(list, 'first page', ''),
  ...listPages(list, 'filtered', FILTERS[list].filtered),
  ...listPages(list, 'search', FILTERS[list].search),
  ...listPages(list, 'ten products', '', true),
]);

/** Return the requests of an operator's pages. */
async function pagesOf(datasets: readonly Dataset[]): Promise<Page[]> {
  const newest = new Map<Dataset, { id: number; dialogue_id: number }>();
  const first = z.object({ items: z.tuple([z.object({ id: z.int(), dialogue_id: z.int() })]) });
  for (const dataset of datasets) {
    const answer = await dataset.member.fetch(`/v1/messages/?product_id=${dataset.world.productId}&limit=1`);
    newest.set(dataset, first.parse(await answer.json()).items[0]);
  }
  return [
    ...listPages('messages', 'first page', ''),
    ...listPages('leads', 'first page', ''),
    { name: 'one message', path: (of) => `/v1/messages/${newest.get(of)?.id}`, bare: true },
    {
      name: 'list of dialogues, newest first',
      path: ({ world }) => `/v1/dialogues/?product_id=${world.productId}&limit=25&with_total=false`,
    },
    { name: 'a dialogue and its thread', path: (of) => `/v1/dialogues/${newest.get(of)?.dialogue_id}/thread?limit=50` },
    { name: 'dashboard', path: ({ world }) => `/v1/reports/dashboard?product_id=${world.productId}` },
  ];
}

const countsSchema = z.object({ items: z.array(z.unknown()), total: z.number().nullish() });

/** Measure requests, one at a time. Lists must have the same number of rows at every size, and in the bare handler. */
async function askPages(datasets: readonly Dataset[], pages: readonly Page[], requests: number): Promise<Question[]> {
  const questions: Question[] = [];
  for (const { name, path, bare } of pages) {
    const targets: Target[] = datasets.map((of) => ({
      url: `${of.world.url}${path(of)}`,
      headers: { cookie: of.member.cookie },
    }));
    const largest = datasets.at(-1);
    if (bare && largest) targets.push({ url: `${largest.bareUrl}${bare === true ? path(largest) : bare(largest)}` });
    if (bare && name.includes('total')) await requireSameRows(targets);
    const durations = await requestTimes(targets, requests);
    questions.push({
      name,
      unit: 'ms',
      ours: durations.slice(0, datasets.length),
      bare: bare ? (durations.at(-1) ?? null) : null,
    });
  }
  return questions;
}

async function requireSameRows(targets: readonly Target[]): Promise<void> {
  const found: number[] = [];
  for (const { url, headers = {} } of targets) {
    const answer = await fetch(url, { headers });
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
    found.push(countsSchema.parse(await answer.json()).items.length);
  }
  if (new Set(found).size > 1 || found[0] === 0) throw new Error(`${targets[0]?.url}: ${found.join(', ')} rows`);
}

const QUERIES: Readonly<Record<string, (db: Db) => Promise<unknown>>> = {
  [`${DUE} due messages among all`]: (db) =>
    db.transact((tx) => lockDueDialogues(tx, { limit: 500, room: { perAccount: 16, busy: new Map() } })),
  'due turns': ({ reader }) =>
    claimTurns(reader, {
      limit: 500,
      historyLimit: 40,
      claimant: { instanceId: ids.next(), config: { leaseSeconds: 16 } },
      room: { defaultModel: 'chatgpt/gpt-4o-mini', perModel: 16, busy: new Map() },
    }),
  'claims without an owner': ({ reader }) => findOrphans(reader, 500),
  'open hooks': ({ reader }) => findOpenItems(reader),
};

/** Measure the queries that every worker runs once a second. */
async function askQueues(datasets: readonly Dataset[], rounds: number): Promise<Question[]> {
  for (const { pool, world } of datasets) {
    await pool.query(
      `update messages set status = 'scheduled', scheduled_at = domain_now() - interval '1 second', sent_at = null, read_at = null, ext_id = null
        where id in (select id from messages where product_id = $1 and side = 'bot' order by id desc limit $2)`,
      [world.productId, DUE],
    );
    await pool.query('analyze messages');
  }
  const databases = datasets.map(({ database }) => openProductPool(database, 1));
  const questions: Question[] = [];
  for (const [name, query] of Object.entries(QUERIES)) {
    const results = await interleave(databases, { rounds, warming: 3 }, (db) => timed(() => query(db)));
    questions.push({ name, unit: 'ms', ours: results.map(median), bare: null });
  }
  for (const database of databases) await database.close();
  return questions;
}

/** Measure hooks with one new message each. */
async function askIngest(datasets: readonly Dataset[]): Promise<Question> {
  const largest = datasets.at(-1);
  const targets = datasets.map(({ hookUrl, world }) => ({ url: hookUrl, body: hookBody(world) }));
  if (largest) targets.push({ url: `${largest.bareUrl}/hook`, body: hookBody(largest.world) });
  const results = await interleave(targets, { rounds: 3 }, async (target, isWarming) => {
    const { perSecond } = await saturate({ ...target, headers: JSON_HEADERS }, isWarming ? 1 : 4);
    return perSecond;
  });
  const all = results.map(median);
  const name = 'one hook after another, 32 at once';
  return { name, unit: 'a second', ours: all.slice(0, datasets.length), bare: all.at(-1) ?? null };
}

async function sizeOf({ pool }: Dataset): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return Number(rows[0]?.bytes ?? 0) / 1e9;
}
