/** The report: measurements, the machine, and the targets. */
import { cpus, totalmem } from 'node:os';
import type { FirstToken } from './assistant.ts';
import type { ComparisonResult, Rounds } from './compareWithBare.ts';
import type { Exchange } from './exchange.ts';
import type { GrowthResult } from './growth.ts';
import type { ListResult, Lists } from './lists.ts';
import { median } from './median.ts';
import type { OperatorTimes, Times } from './operatorTimes.ts';
import { exchangeSection, type Outreach, outreachMisses, outreachSection, sweepSection } from './outreachReport.ts';
import {
  consoleSection,
  consolesSection,
  historySection,
  memorySection,
  missedScaleTargets,
  partitionsSection,
  type Scale,
} from './scaleReport.ts';
import type { StreamsResult } from './streams.ts';
import type { SweepResult } from './sweep.ts';
import type { Frames, ThreadResult } from './thread.ts';

/** Measurements; those that were not requested are missing. */
export interface Measured {
  readonly starts?: Times;
  readonly compared?: readonly ComparisonResult[];
  readonly operatorTimes?: OperatorTimes;
  readonly grown?: readonly GrowthResult[];
  readonly lists?: Lists;
  readonly thread?: ThreadResult;
  readonly streams?: StreamsResult;
  readonly firstToken?: FirstToken;
  readonly sweep?: readonly SweepResult[];
  readonly outreach?: Outreach;
  readonly scale?: Scale;
  readonly exchange?: Exchange;
  readonly rounds: Rounds;
  readonly postgres: string;
}

const START_MS = 2500;
const MESSAGE_ON_PAGE_MS = 1000;
const ANSWERED_MS = 2000;
const GROWTH = 1.3;
const PAINT_MS = 100;
const FRAMES = 50;
const FIRST_TOKEN_MS = 30;

const formatCount = (value: number): string => Math.round(value).toLocaleString('en');
const ms = (value: number): string => `${formatCount(value)} ms`;
/** Return sentences about the missed targets. */
export function missedTargets({
  starts,
  compared = [],
  operatorTimes,
  lists,
  thread,
  sweep,
  outreach,
  firstToken,
  scale,
}: Measured): string[] {
  return [
    ...compared
      .filter(({ ratio, aim }) => ratio < aim)
      .map(({ name, ratio, aim }) => `${name}: ${ratio.toFixed(2)} of the bare handler, the aim is ${aim}`),
    ...(starts && starts.median > START_MS ? [`npm start takes ${ms(starts.median)}, the aim is ${ms(START_MS)}`] : []),
    ...(operatorTimes && operatorTimes.onPage.worst > MESSAGE_ON_PAGE_MS
      ? [`a message took ${ms(operatorTimes.onPage.worst)} to the page`]
      : []),
    ...(operatorTimes && operatorTimes.answered.worst > ANSWERED_MS
      ? [`an answer took ${ms(operatorTimes.answered.worst)} after the debounce`]
      : []),
    ...(lists?.lists ?? [])
      .filter(missesTarget)
      .map((one) => `${nameOf(one)} takes ${one.growth.toFixed(2)} times as long`),
    ...(thread ? [thread.painted, thread.switched] : [])
      .map(median)
      .filter((painted) => painted > PAINT_MS)
      .map((painted) => `a dialogue is painted ${ms(painted)} after its messages came, the aim is ${ms(PAINT_MS)}`),
    ...(thread ? [thread.climbing, thread.descending] : [])
      .map((runs) => median(runs.map(({ perSecond }) => perSecond)))
      .filter((perSecond) => perSecond < FRAMES)
      .map((perSecond) => `a dialogue scrolls at ${formatCount(perSecond)} frames a second, the aim is ${FRAMES}`),
    ...(firstToken && overVendor(firstToken) > FIRST_TOKEN_MS
      ? [
          `the assistant's first token comes ${ms(overVendor(firstToken))} after the model's own, the aim is ${ms(FIRST_TOKEN_MS)}`,
        ]
      : []),
    ...outreachMisses(sweep, outreach),
    ...missedScaleTargets(scale ?? {}),
  ];
}

/** The deep page is reported without a target. */
const missesTarget = ({ growth, isDeep }: ListResult): boolean => !isDeep && growth > GROWTH;

const nameOf = ({ list, name, withTotal }: ListResult): string =>
  `${list}, ${name}, ${withTotal ? 'with' : 'without'} total`;

/**
 * Render the whole report in Markdown.
 * @param former the report before: sections that were not measured now are kept from it.
 */
export function renderReport(measured: Measured, former: string): string {
  const [cpu] = cpus();
  const sections = former
    .split(/^(?=## )/m)
    .slice(1)
    .map((text): [string, string] => [text.split('\n', 1)[0] ?? '', text.trimEnd()]);
  const merged = new Map(sections);
  for (const [name, section] of Object.entries(SECTIONS)) {
    const text = section(measured);
    if (text !== null) merged.set(`## ${name}`, `## ${name}\n\n${text}`);
  }
  const ordered = Object.keys(SECTIONS).flatMap((name) => merged.get(`## ${name}`) ?? []);
  return `# Benchmark

Made by \`npm run bench\`; with \`-- --only lists,thread\` the sections named are measured anew and the others kept. ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${formatCount(totalmem() / 2 ** 30)} GiB, Node ${process.version}, PostgreSQL ${measured.postgres} (embedded, fsync on). Ratios travel, absolutes do not.

${ordered.join('\n\n')}
`;
}

const SECTIONS: Readonly<Record<string, (measured: Measured) => string | null>> = {
  'Against a bare handler': comparedSection,
  Lists: listsSection,
  'A history that grows': ({ scale }) => historySection(scale ?? {}),
  'What an operator feels': operatorTimesSection,
  'The console in a browser': ({ scale }) => consoleSection(scale ?? {}),
  'A dialogue of 10,000 messages': threadSection,
  'Five hundred consoles': ({ scale }) => consolesSection(scale ?? {}),
  'Answers in pieces': streamsSection,
  "The assistant's first token": firstTokenSection,
  'One look of the sweep, over settled rows': growthSection,
  'Outreach among many leads': ({ sweep }) => sweepSection(sweep),
  'Rehearsal, and due messages': ({ outreach }) => outreachSection(outreach),
  'One exchange': ({ exchange }) => exchangeSection(exchange),
  'Start and memory': ({ scale }) => memorySection(scale ?? {}),
  'Messages in months': ({ scale }) => partitionsSection(scale ?? {}),
};

const overVendor = ({ ours, vendors }: FirstToken): number => median(ours) - median(vendors);

function firstTokenSection({ firstToken }: Measured): string | null {
  if (!firstToken) return null;
  const { ours, vendors } = firstToken;
  return `From the operator's question to the first piece of the answer: through the assistant's socket (session, product, key, budget, tools) and from the model itself, which here answers at once. In turns, one at a time, ${ours.length} rounds; medians.

| through the socket | the model's own | more | aim |
|---|---|---|---|
| ${exact(median(ours))} | ${exact(median(vendors))} | **${exact(overVendor(firstToken))}** | ${FIRST_TOKEN_MS} ms |`;
}

function comparedSection({ compared, rounds }: Measured): string | null {
  if (!compared) return null;
  return `The bare handler is node:http and pg in a process of its own: plain prepared statements, default types, no session, no scope, no validation, no total; the ingest in four round trips, without deduplication and queue. Same PostgreSQL, same settings, 16 connections each. autocannon is a third process, with 32 connections; ${rounds.count} rounds of ${rounds.seconds} s each, interleaved, medians. Ours runs with the role web.

| | bare req/s | ours req/s | ratio | aim | p50 bare / ours | p99 bare / ours |
|---|---|---|---|---|---|---|
${compared.map(({ name, bare, ours, ratio, aim }) => `| ${name} | ${formatCount(bare.perSecond)} | ${formatCount(ours.perSecond)} | **${ratio.toFixed(2)}** | ${aim} | ${bare.p50} / ${ours.p50} ms | ${bare.p99} / ${ours.p99} ms |`).join('\n')}

List: 25 of the 1,000 leads of one product among 100,000, session and scope checked. Ingest: one new message in each hook, stored without duplicates and queued before the 200.`;
}

const exact = (value: number): string => `${value.toFixed(2)} ms`;

function listsSection({ lists }: Measured): string | null {
  if (!lists) return null;
  const rows = lists.lists.map((one) => {
    const growth = missesTarget(one) ? `**${one.growth.toFixed(2)}**, over` : `**${one.growth.toFixed(2)}**`;
    return `| ${nameOf(one)} | ${formatCount(one.matching)} | ${exact(one.small)} | ${exact(one.large)} | ${growth} | ${one.isDeep ? 'told' : GROWTH} | ${exact(one.bareSmall)} / ${exact(one.bareLarge)} | ${one.ratio.toFixed(2)} |`;
  });
  return `The same rows match among 10,000 messages and 1,000 leads (small) and among 1,000,000 messages of 1,000 products and 100,000 leads (large); the rows of one product lie scattered among those of all others. 25 rows a page, a member of one company of ten products signed in, every list narrowed to one product unless it says ten. One request at a time; each of the four servers in turn, ${lists.requests} times; medians until the last byte. The bare handler has the plain statement with the same conditions, no session and no validation; it skips rows whole, which ours does not.

| | matching rows | ours, small | ours, large | growth | aim | bare, small / large | ours to bare, large |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}

Without any filter, which only an admin can ask: all 1,000,000 messages, told without an aim.

| | ours | bare |
|---|---|---|
${lists.unscoped.map((one) => `| ${one.name} | ${ms(one.ms)} | ${ms(one.bareMs)} |`).join('\n')}`;
}

function operatorTimesSection({ starts, operatorTimes }: Measured): string | null {
  if (!starts || !operatorTimes) return null;
  return `| | median | worst | aim |
|---|---|---|---|
| second \`npm start\` until ready, PostgreSQL included | ${ms(starts.median)} | ${ms(starts.worst)} | ${ms(START_MS)} |
| lead's message → open console page | ${ms(operatorTimes.onPage.median)} | ${ms(operatorTimes.onPage.worst)} | ${ms(MESSAGE_ON_PAGE_MS)} |
| lead's message → answer sent, beyond the debounce of ${ms(operatorTimes.debounceMs)} | ${ms(operatorTimes.answered.median)} | ${ms(operatorTimes.answered.worst)} | ${ms(ANSWERED_MS)} |`;
}

function threadSection({ thread }: Measured): string | null {
  if (!thread) return null;
  const { painted, switched, idle, climbing, climbed, descending, jumpMs } = thread;
  const frames = (name: string, runs: readonly Frames[], aim: string): string =>
    `| ${name} | ${median(runs.map((one) => one.perSecond)).toFixed(1)} | ${Math.min(...runs.map((one) => one.perSecond)).toFixed(1)} | ${ms(Math.max(...runs.map((one) => one.longestMs)))} | ${formatCount(runs.reduce((sum, one) => sum + one.blank, 0))} | ${aim} |`;
  const paints = (name: string, durations: readonly number[]): string =>
    `| ${name} | ${ms(median(durations))} | ${ms(Math.min(...durations))} | ${ms(Math.max(...durations))} | ${ms(PAINT_MS)} |`;
  return `The built console in headless Chromium at 1920×1080, without a graphics card. From the last byte of the messages until the frame that shows the newest one was handed over, ${painted.length} times each, in turn:

| messages → paint | median | best | worst | aim |
|---|---|---|---|---|
${paints('from another dialogue, in the open console', switched)}
${paints('by its address: the console itself is just being opened', painted)}

From the click to that frame the page's main thread worked ${ms(median(thread.worked))} of CPU (median; worst ${ms(Math.max(...thread.worked))}), the rest of the dialogue and its request included. ${thread.load.toFixed(1)} processes wanted one of the ${cpus().length} cores at the end of this: above ${cpus().length} the times below and above are of a machine that others use too.

A link to the first of all messages, which loads the whole dialogue, shows it ${ms(jumpMs)} after the console was asked for.

| the wheel turned for three seconds | frames/s, median | worst | longest frame | frames without a bubble in the middle | aim |
|---|---|---|---|---|---|
${frames('not at all', idle, 'told')}
${frames(`up from the newest message, ${formatCount(median(climbed))} messages loaded on the way`, climbing, String(FRAMES))}
${frames('down from the first, all 10,000 loaded', descending, String(FRAMES))}`;
}

function streamsSection({ streams }: Measured): string | null {
  if (!streams) return null;
  const { ours, bare, rounds, rate } = streams;
  const row = (name: string, unit: string, mine: number | null, theirs: number | null): string =>
    mine === null || theirs === null
      ? `| ${name} | not told here | | |`
      : `| ${name} | ${mine.toFixed(1)} ${unit} | ${theirs.toFixed(1)} ${unit} | **${(mine / theirs).toFixed(1)}** |`;
  return `The playground's socket against a bare proxy: a \`ws\` server in a process of its own that asks the same upstream (OpenAI's protocol, a third process) and passes each piece on, with no session, no prompt, no run and no time-out. ${rounds} rounds, interleaved, medians; told without an aim. Ours asks the database seven times before a model is asked, and stores the run.

| | ours | bare | ours to bare |
|---|---|---|---|
${row('alone: question → first piece', 'ms', ours.firstMs, bare.firstMs)}
${row('alone, 2,000 tokens as fast as they come: each', 'µs', ours.tokenUs, bare.tokenUs)}
${row(`${formatCount(streams.streams)} at once: question → first piece`, 'ms', ours.concurrent.firstMs, bare.concurrent.firstMs)}
${row(`${formatCount(streams.streams)} at once: question → end of the slowest`, 'ms', ours.concurrent.slowestMs, bare.concurrent.slowestMs)}
${row(`${formatCount(streams.streams)} at once: CPU of the process for each token`, 'µs', ours.concurrent.cpuUs, bare.concurrent.cpuUs)}

Each of the ${formatCount(streams.streams)} says ${rate.tokens} tokens ${rate.everyMs} ms apart, ${formatCount(rate.tokens * rate.everyMs)} ms at best, and all ask at the same moment, in one process. ${streams.load.toFixed(1)} processes wanted one of the ${cpus().length} cores at the end of this.`;
}

function growthSection({ grown }: Measured): string | null {
  if (!grown) return null;
  const queryNames = Object.keys(grown[0]?.queryMs ?? {});
  return `| rows in messages and inbox each | ${queryNames.join(' | ')} |
|---|${queryNames.map(() => '---|').join('')}
${grown.map((one) => `| ${formatCount(one.rows)} | ${queryNames.map((name) => `${(one.queryMs[name] ?? 0).toFixed(2)} ms`).join(' | ')} |`).join('\n')}`;
}
