/** What a history that only grows costs those who work on top of it: the same questions among 10,000 to 10,000,000 messages. */
import { z } from 'zod';
import { dueTurns } from '../dialogues/store/dialogues.ts';
import { openItems } from '../dialogues/store/inbox.ts';
import { orphans } from '../dialogues/store/lost.ts';
import { dueDialogues } from '../dialogues/store/queue.ts';
import { openDb, type Reader } from '../platform/db.ts';
import { createLog } from '../platform/log.ts';
import { shoot } from './cannon.ts';
import { type Grove, openGrove } from './grove.ts';
import { median } from './median.ts';
import { timesOf } from './requests.ts';
import { hookBody, startCluster } from './setting.ts';

/** One question at every size, in milliseconds (or a second, for what is counted so). */
export interface Question {
  readonly name: string;
  readonly unit: 'ms' | 'a second';
  readonly ours: readonly number[];
  /** The bare handler asked the same, at the largest size; null where there is none. */
  readonly bare: number | null;
}

export interface History {
  readonly sizes: readonly number[];
  readonly questions: readonly Question[];
  /** Gigabytes on disk at each size, indices included. */
  readonly gigabytes: readonly number[];
  readonly postgres: string;
}

/** Messages that are due at once while the claim is looked for, whatever stands beside them. */
const DUE = 200;
const MESSAGES_A_PRODUCT = 1000;
/** Looks of a worker that do not count, and that do. */
const WARMING = 3;
const ROUNDS = 21;

/** Fills a database for each size, and asks everything of all of them in turn: a slow minute is everybody's. */
export async function measureHistory(
  sizes: readonly number[],
  requests: number,
  say: (line: string) => void,
): Promise<History> {
  const cluster = await startCluster();
  const groves: Grove[] = [];
  try {
    for (const size of sizes) {
      const begun = performance.now();
      groves.push(await openGrove(cluster.url, `history_${size}`, { products: size / MESSAGES_A_PRODUCT }, true));
      say(`  ${size.toLocaleString('en')} messages stand after ${Math.round((performance.now() - begun) / 1000)} s`);
    }
    const gigabytes = await Promise.all(groves.map(sizeOf));
    const questions = [...(await askPages(groves, requests)), ...(await askQueues(groves)), await askIngest(groves)];
    return { sizes, questions, gigabytes, postgres: cluster.version };
  } finally {
    for (const grove of groves) await grove.close();
    await cluster.stop();
  }
}

/** What an operator's pages ask for, one request at a time. */
async function askPages(groves: readonly Grove[], requests: number): Promise<Question[]> {
  const paths = await Promise.all(groves.map(pagesOf));
  const largest = groves.at(-1);
  const questions: Question[] = [];
  for (const [index, { name, hasBare }] of (paths[0] ?? []).entries()) {
    const path = (place: number): string => paths.at(place)?.[index]?.path ?? '';
    const targets = [
      ...groves.map(({ url, member }, place) => ({ url: `${url}${path(place)}`, cookie: member.cookie })),
      ...(hasBare && largest ? [{ url: `${largest.bareUrl}${path(-1)}`, cookie: '' }] : []),
    ];
    const taken = await timesOf(targets, requests);
    const bare = hasBare ? (taken.at(-1) ?? null) : null;
    questions.push({ name, unit: 'ms', ours: taken.slice(0, groves.length), bare });
  }
  return questions;
}

interface Page {
  readonly name: string;
  readonly path: string;
  readonly hasBare: boolean;
}

async function pagesOf({ url, member, productId }: Grove): Promise<Page[]> {
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

const LOOKS: readonly (readonly [name: string, look: (reader: Reader) => Promise<unknown>])[] = [
  [`${DUE} due messages among all`, (reader) => dueDialogues(reader, 500)],
  ['due turns', (reader) => dueTurns(reader, 500)],
  ['messages without an owner', (reader) => orphans(reader, 500)],
  ['open hooks', (reader) => openItems(reader, 500)],
];

/** What every worker asks once a second. */
async function askQueues(groves: readonly Grove[]): Promise<Question[]> {
  for (const { pool } of groves) {
    await pool.query(
      `update messages set status = 'scheduled', scheduled_at = domain_now() - interval '1 second', sent_at = null, read_at = null, ext_id = null
        where id in (select id from messages where side = 'bot' order by id desc limit $1)`,
      [DUE],
    );
    await pool.query('analyze messages');
  }
  const databases = groves.map(({ database }) => openDb(database, createLog('silent'), { max: 1 }));
  try {
    const questions: Question[] = [];
    for (const [name, look] of LOOKS) {
      const taken = databases.map((): number[] => []);
      for (let round = -WARMING; round < ROUNDS; round++)
        for (const [index, { reader }] of databases.entries()) {
          const begun = performance.now();
          await look(reader);
          if (round >= 0) taken[index]?.push(performance.now() - begun);
        }
      questions.push({ name, unit: 'ms', ours: taken.map(median), bare: null });
    }
    return questions;
  } finally {
    for (const database of databases) await database.close();
  }
}

/** Hooks with one new message each, all in turn, three times, medians. */
async function askIngest(groves: readonly Grove[]): Promise<Question> {
  const headers = { 'content-type': 'application/json; charset-utf-8' };
  const largest = groves.at(-1);
  const targets = [
    ...groves.map(({ hookUrl, channelRef }) => ({ url: hookUrl, body: hookBody(channelRef) })),
    ...(largest ? [{ url: `${largest.bareUrl}/hook`, body: hookBody(largest.channelRef) }] : []),
  ];
  const shots = targets.map((): number[] => []);
  for (let round = -1; round < 3; round++)
    for (const [index, { url, body }] of targets.entries()) {
      const { perSecond } = await shoot({ url, headers, body }, round < 0 ? 1 : 4);
      if (round >= 0) shots[index]?.push(perSecond);
    }
  const all = shots.map(median);
  return {
    name: 'one hook after another, 32 at once',
    unit: 'a second',
    ours: all.slice(0, groves.length),
    bare: all.at(-1) ?? null,
  };
}

async function sizeOf({ pool }: Grove): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return Number(rows[0]?.bytes ?? 0) / 1e9;
}
