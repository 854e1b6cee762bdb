/** The effect of a growing history: the same queries among 10,000 to 10,000,000 messages. */
import { z } from 'zod';
import { findDueTurns } from '../../conversations/store/dialogues.ts';
import { findOpenItems } from '../../inbox/store/items.ts';
import { findOrphanedClaims } from '../../outbox/store/claims.ts';
import { findDueDialogues } from '../../outbox/store/queue.ts';
import type { Reader } from '../../platform/db.ts';
import { createLog } from '../../platform/log.ts';
import { openDb } from '../../platform/openDb.ts';
import { type Dataset, openDataset } from './dataset.ts';
import { hookBody, startCluster } from './environment.ts';
import { runLoad } from './loadGenerator.ts';
import { median } from './median.ts';
import { requestTimes } from './requests.ts';

/** One query at every size, in milliseconds or per second (see `unit`). */
export interface Question {
  readonly name: string;
  readonly unit: 'ms' | 'a second';
  readonly ours: readonly number[];
  /** The same query to the bare handler at the largest size; null if there is none. */
  readonly bare: number | null;
}

export interface History {
  readonly sizes: readonly number[];
  readonly questions: readonly Question[];
  /** Gigabytes on disk at each size, including indices. */
  readonly gigabytes: readonly number[];
  readonly postgres: string;
}

/** Messages that are due at once while the claim is measured, at every size. */
const DUE = 200;
const MESSAGES_A_PRODUCT = 1000;
/** Rounds of a worker's queries that are not counted, and those that are. */
const WARMING = 3;
const ROUNDS = 21;

/** Fill a database for each size and query all of them in turn, so that a slow minute affects every size. */
export async function measureHistory(
  sizes: readonly number[],
  requests: number,
  log: (line: string) => void,
): Promise<History> {
  const cluster = await startCluster();
  const datasets: Dataset[] = [];
  try {
    for (const size of sizes) {
      const startedAt = performance.now();
      datasets.push(await openDataset(cluster.url, `history_${size}`, { products: size / MESSAGES_A_PRODUCT }, true));
      log(
        `  ${size.toLocaleString('en')} messages stand after ${Math.round((performance.now() - startedAt) / 1000)} s`,
      );
    }
    const gigabytes = await Promise.all(datasets.map(sizeOf));
    const questions = [
      ...(await askPages(datasets, requests)),
      ...(await askQueues(datasets)),
      await askIngest(datasets),
    ];
    return { sizes, questions, gigabytes, postgres: cluster.version };
  } finally {
    for (const dataset of datasets) await dataset.close();
    await cluster.stop();
  }
}

/** Measure the requests of an operator's pages, one at a time. */
async function askPages(datasets: readonly Dataset[], requests: number): Promise<Question[]> {
  const paths = await Promise.all(datasets.map(pagesOf));
  const largest = datasets.at(-1);
  const questions: Question[] = [];
  for (const [index, { name, hasBare }] of (paths[0] ?? []).entries()) {
    const path = (place: number): string => paths.at(place)?.[index]?.path ?? '';
    const targets = [
      ...datasets.map(({ url, member }, place) => ({ url: `${url}${path(place)}`, cookie: member.cookie })),
      ...(hasBare && largest ? [{ url: `${largest.bareUrl}${path(-1)}`, cookie: '' }] : []),
    ];
    const durations = await requestTimes(targets, requests);
    const bare = hasBare ? (durations.at(-1) ?? null) : null;
    questions.push({ name, unit: 'ms', ours: durations.slice(0, datasets.length), bare });
  }
  return questions;
}

interface Page {
  readonly name: string;
  readonly path: string;
  readonly hasBare: boolean;
}

async function pagesOf({ url, member, productId }: Dataset): Promise<Page[]> {
  const first = z.object({ items: z.tuple([z.object({ id: z.int(), dialogue_id: z.int() })]) });
  const newest = await fetch(`${url}/v1/messages/?product_id=${productId}&limit=1`, {
    headers: { cookie: member.cookie },
  });
  const [{ id, dialogue_id: dialogueId }] = first.parse(await newest.json()).items;
  const list = `product_id=${productId}&limit=25&page=1`;
  return [
    { name: 'list of messages, without total', path: `/v1/messages/?${list}&with_total=false`, hasBare: true },
    { name: 'list of messages, with total', path: `/v1/messages/?${list}&with_total=true`, hasBare: true },
    { name: 'list of leads, without total', path: `/v1/leads/?${list}&with_total=false`, hasBare: true },
    { name: 'one message', path: `/v1/messages/${id}`, hasBare: true },
    { name: 'list of dialogues, newest first', path: `/v1/dialogues/?${list}&with_total=false`, hasBare: false },
    { name: 'a dialogue and its thread', path: `/v1/dialogues/${dialogueId}/thread?limit=50`, hasBare: false },
    { name: 'dashboard', path: `/v1/reports/dashboard?product_id=${productId}`, hasBare: false },
  ];
}

const QUERIES: readonly (readonly [name: string, look: (reader: Reader) => Promise<unknown>])[] = [
  [`${DUE} due messages among all`, (reader) => findDueDialogues(reader, 500)],
  ['due turns', (reader) => findDueTurns(reader, 500)],
  ['messages without an owner', (reader) => findOrphanedClaims(reader, 500)],
  ['open hooks', (reader) => findOpenItems(reader, 500)],
];

/** Measure the queries that every worker runs once a second. */
async function askQueues(datasets: readonly Dataset[]): Promise<Question[]> {
  for (const { pool } of datasets) {
    await pool.query(
      `update messages set status = 'scheduled', scheduled_at = domain_now() - interval '1 second', sent_at = null, read_at = null, ext_id = null
        where id in (select id from messages where side = 'bot' order by id desc limit $1)`,
      [DUE],
    );
    await pool.query('analyze messages');
  }
  const databases = datasets.map(({ database }) => openDb(database, createLog('silent'), { max: 1 }));
  try {
    const questions: Question[] = [];
    for (const [name, query] of QUERIES) {
      const durations = databases.map((): number[] => []);
      for (let round = -WARMING; round < ROUNDS; round++)
        for (const [index, { reader }] of databases.entries()) {
          const startedAt = performance.now();
          await query(reader);
          if (round >= 0) durations[index]?.push(performance.now() - startedAt);
        }
      questions.push({ name, unit: 'ms', ours: durations.map(median), bare: null });
    }
    return questions;
  } finally {
    for (const database of databases) await database.close();
  }
}

/** Measure hooks with one new message each: all sizes in turn, three times, medians. */
async function askIngest(datasets: readonly Dataset[]): Promise<Question> {
  const headers = { 'content-type': 'application/json; charset-utf-8' };
  const largest = datasets.at(-1);
  const targets = [
    ...datasets.map(({ hookUrl, channelRef }) => ({ url: hookUrl, body: hookBody(channelRef) })),
    ...(largest ? [{ url: `${largest.bareUrl}/hook`, body: hookBody(largest.channelRef) }] : []),
  ];
  const shots = targets.map((): number[] => []);
  for (let round = -1; round < 3; round++)
    for (const [index, { url, body }] of targets.entries()) {
      const { perSecond } = await runLoad({ url, headers, body }, round < 0 ? 1 : 4);
      if (round >= 0) shots[index]?.push(perSecond);
    }
  const all = shots.map(median);
  return {
    name: 'one hook after another, 32 at once',
    unit: 'a second',
    ours: all.slice(0, datasets.length),
    bare: all.at(-1) ?? null,
  };
}

async function sizeOf({ pool }: Dataset): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return Number(rows[0]?.bytes ?? 0) / 1e9;
}
