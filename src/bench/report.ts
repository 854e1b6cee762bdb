/** The report: what was measured, on what, against which aims. */
import { cpus, totalmem } from 'node:os';
import type { Grown } from './growth.ts';
import type { Compared, Rounds } from './ratios.ts';
import type { Felt, Times } from './times.ts';

export interface Measured {
  readonly starts: Times;
  readonly compared: readonly Compared[];
  readonly felt: Felt;
  readonly grown: readonly Grown[];
  readonly rounds: Rounds;
  readonly postgres: string;
}

const START_MS = 2500;
const SHOWN_MS = 1000;
const ANSWERED_MS = 2000;

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const ms = (value: number): string => `${whole(value)} ms`;

/** Sentences about the aims that were not met. */
export function misses({ starts, compared, felt }: Measured): string[] {
  return [
    ...compared
      .filter(({ ratio, aim }) => ratio < aim)
      .map(({ name, ratio, aim }) => `${name}: ${ratio.toFixed(2)} of the bare handler, the aim is ${aim}`),
    ...(starts.median > START_MS ? [`npm start takes ${ms(starts.median)}, the aim is ${ms(START_MS)}`] : []),
    ...(felt.shown.worst > SHOWN_MS ? [`a message took ${ms(felt.shown.worst)} to the page`] : []),
    ...(felt.answered.worst > ANSWERED_MS ? [`an answer took ${ms(felt.answered.worst)} after the debounce`] : []),
  ];
}

/** The whole report in Markdown. */
export function reportOf(measured: Measured): string {
  const { starts, compared, felt, grown, rounds, postgres } = measured;
  const [cpu] = cpus();
  const looks = Object.keys(grown[0]?.looks ?? {});
  return `# Benchmark

Made by \`npm run bench\`. ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${whole(totalmem() / 2 ** 30)} GiB, Node ${process.version}, PostgreSQL ${postgres} (embedded, fsync on). Ratios travel, absolutes do not.

## Against a bare handler

The bare handler is node:http and pg in a process of its own: plain prepared statements, default types, no session, no scope, no validation, no total; the ingest in four round trips, without deduplication and queue. Same PostgreSQL, same settings, 16 connections each. autocannon is a third process, with 32 connections; ${rounds.count} rounds of ${rounds.seconds} s each, interleaved, medians. Ours runs with the role web.

| | bare req/s | ours req/s | ratio | aim | p50 bare / ours | p99 bare / ours |
|---|---|---|---|---|---|---|
${compared.map(({ name, bare, ours, ratio, aim }) => `| ${name} | ${whole(bare.perSecond)} | ${whole(ours.perSecond)} | **${ratio.toFixed(2)}** | ${aim} | ${bare.p50} / ${ours.p50} ms | ${bare.p99} / ${ours.p99} ms |`).join('\n')}

List: 25 of the 1,000 leads of one product among 100,000, session and scope checked. Ingest: one new message in each hook, stored without duplicates and queued before the 200.

## What an operator feels

| | median | worst | aim |
|---|---|---|---|
| second \`npm start\` until ready, PostgreSQL included | ${ms(starts.median)} | ${ms(starts.worst)} | ${ms(START_MS)} |
| lead's message → open console page | ${ms(felt.shown.median)} | ${ms(felt.shown.worst)} | ${ms(SHOWN_MS)} |
| lead's message → answer sent, beyond the debounce of ${ms(felt.debounceMs)} | ${ms(felt.answered.median)} | ${ms(felt.answered.worst)} | ${ms(ANSWERED_MS)} |

## One look of the sweep, over settled rows

| rows in messages and inbox each | ${looks.join(' | ')} |
|---|${looks.map(() => '---|').join('')}
${grown.map((one) => `| ${whole(one.rows)} | ${looks.map((name) => `${(one.looks[name] ?? 0).toFixed(2)} ms`).join(' | ')} |`).join('\n')}
`;
}
