/** What a history that only grows costs those who work on top of it: the same questions among 10,000 to 10,000,000 messages. */
import { z } from 'zod';
import { dueTurns } from '../dialogues/store/dialogues.ts';
import { openItems } from '../dialogues/store/inbox.ts';
import { orphans } from '../dialogues/store/messages.ts';
import { dueDialogues } from '../dialogues/store/queue.ts';
import { openDb } from '../platform/db.ts';
import { createLog } from '../platform/log.ts';
import { shoot } from './cannon.ts';
import { type Grove, openGrove } from './grove.ts';
import { timesOf } from './requests.ts';
import { hookBody, startCluster } from './setting.ts';

/** One question at every size, in milliseconds (or a second, for what is counted so). */
export interface Question {
  readonly name: string;
  readonly unit: 'ms' | 'a second';
  readonly ours: readonly number[];
  /** The bare handler asked the same; null where there is none. */
  readonly bare: readonly number[] | null;
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

/** Fills a database for each size, asks everything of it, and throws it away before the next. */
export async function measureHistory(
  sizes: readonly number[],
  requests: number,
  say: (line: string) => void,
): Promise<History> {
  const cluster = await startCluster();
  try {
    const answers: Map<string, Answer>[] = [];
    const gigabytes: number[] = [];
    for (const size of sizes) {
      const begun = performance.now();
      const name = `history_${size}`;
      const grove = await openGrove(cluster.url, name, { products: size / MESSAGES_A_PRODUCT }, true);
      say(`  ${size.toLocaleString('en')} messages stand after ${Math.round((performance.now() - begun) / 1000)} s`);
      try {
        answers.push(await ask(grove, requests));
        gigabytes.push(await sizeOf(grove));
      } finally {
        await grove.close();
      }
      await cluster.query(`drop database ${name} with (force)`);
    }
    const [first] = answers;
    if (!first) throw new Error('There are no sizes');
    const questions = [...first].map(
      ([name, { unit, bare }]): Question => ({
        name,
        unit,
        ours: answers.map((one) => one.get(name)?.ours ?? Number.NaN),
        bare: bare === null ? null : answers.map((one) => one.get(name)?.bare ?? Number.NaN),
      }),
    );
    return { sizes, questions, gigabytes, postgres: cluster.version };
  } finally {
    await cluster.stop();
  }
}

interface Answer {
  readonly unit: Question['unit'];
  readonly ours: number;
  readonly bare: number | null;
}

async function ask(grove: Grove, requests: number): Promise<Map<string, Answer>> {
  return new Map([
    ...(await askPages(grove, requests)),
    ...(await askQueues(grove)),
    ['one hook after another, 32 at once', await askIngest(grove)],
  ]);
}

/** What an operator's pages ask for, one request at a time. */
async function askPages(grove: Grove, requests: number): Promise<[string, Answer][]> {
  const { url, bareUrl, member, productId } = grove;
  const first = z.object({ items: z.tuple([z.object({ id: z.int(), dialogue_id: z.int() })]) });
  const newest = await fetch(`${url}/v1/messages/?product_id=${productId}&limit=1`, {
    headers: { cookie: member.cookie },
  });
  const [{ id, dialogue_id: dialogueId }] = first.parse(await newest.json()).items;
  const list = `product_id=${productId}&limit=25&page=1`;
  const pages: readonly [name: string, path: string, hasBare: boolean][] = [
    ['list of messages, without total', `/v1/messages/?${list}&with_total=false`, true],
    ['list of messages, with total', `/v1/messages/?${list}&with_total=true`, true],
    ['list of leads, without total', `/v1/leads/?${list}&with_total=false`, true],
    ['one message', `/v1/messages/${id}`, true],
    ['list of dialogues, newest first', `/v1/dialogues/?${list}&with_total=false`, false],
    ['a dialogue and its thread', `/v1/dialogues/${dialogueId}/thread?limit=50`, false],
    ['dashboard', `/v1/reports/dashboard?product_id=${productId}`, false],
  ];
  const answers: [string, Answer][] = [];
  for (const [name, path, hasBare] of pages) {
    const targets = [
      { url: `${url}${path}`, cookie: member.cookie },
      ...(hasBare ? [{ url: `${bareUrl}${path}`, cookie: '' }] : []),
    ];
    const [ours, bare] = await timesOf(targets, requests);
    answers.push([name, { unit: 'ms', ours: ours ?? Number.NaN, bare: bare ?? null }]);
  }
  return answers;
}

/** What every worker asks once a second. */
async function askQueues({ pool, database }: Grove): Promise<[string, Answer][]> {
  await pool.query(
    `update messages set status = 'scheduled', scheduled_at = domain_now() - interval '1 second', sent_at = null, read_at = null, ext_id = null
      where id in (select id from messages where side = 'bot' order by id desc limit $1)`,
    [DUE],
  );
  await pool.query('analyze messages');
  const db = openDb(database, createLog('silent'), { max: 1 });
  try {
    const looks: readonly [name: string, look: () => Promise<unknown>][] = [
      [`${DUE} due messages among all`, () => dueDialogues(db.reader, 500)],
      ['due turns', () => dueTurns(db.reader, 500)],
      ['messages without an owner', () => orphans(db.reader, 500)],
      ['open hooks', () => openItems(db.reader, 500)],
    ];
    const answers: [string, Answer][] = [];
    for (const [name, look] of looks) {
      const taken: number[] = [];
      for (let round = -3; round < 21; round++) {
        const begun = performance.now();
        await look();
        if (round >= 0) taken.push(performance.now() - begun);
      }
      answers.push([name, { unit: 'ms', ours: taken.toSorted((a, b) => a - b)[10] ?? Number.NaN, bare: null }]);
    }
    return answers;
  } finally {
    await db.close();
  }
}

/** Hooks with one new message each; both sides in turn, three times, medians. */
async function askIngest({ hookUrl, bareUrl, channelRef }: Grove): Promise<Answer> {
  const headers = { 'content-type': 'application/json; charset-utf-8' };
  const body = hookBody(channelRef);
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let round = -1; round < 3; round++)
    for (const [url, shots] of [
      [hookUrl, ours],
      [`${bareUrl}/hook`, bare],
    ] as const) {
      const { perSecond } = await shoot({ url, headers, body }, round < 0 ? 1 : 4);
      if (round >= 0) shots.push(perSecond);
    }
  const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[1] ?? Number.NaN;
  return { unit: 'a second', ours: median(ours), bare: median(bare) };
}

async function sizeOf({ pool }: Grove): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
  return Number(rows[0]?.bytes ?? 0) / 1e9;
}
