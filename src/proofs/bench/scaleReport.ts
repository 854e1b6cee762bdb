/** The report's sections about size: a growing history, many consoles, memory, the console in a browser. */
import type { ConsoleMeasured } from './console.ts';
import type { Consoles } from './consoles.ts';
import type { History, Question } from './history.ts';
import type { Footprint, Memory } from './memory.ts';
import type { PartitionResult } from './partitions.ts';

/** Measurements of these sections; those that were not requested are missing. */
export interface Scale {
  readonly history?: History;
  readonly consoles?: Consoles;
  readonly memory?: Memory;
  readonly console?: ConsoleMeasured;
  readonly partitions?: PartitionResult;
}

/** Maximum ratio of the largest size to the smallest. */
const GROWTH = 1.5;
/** Maximum ratio of the slowest hundredth's latency to that of a bare relay. */
const LATENCY_RATIO = 3;
/** Targets for a usable page, with an empty and with a filled browser cache. */
const FIRST_MS = 1500;

const formatCount = (value: number): string => Math.round(value).toLocaleString('en');
const ms = (value: number): string => (value < 10 ? `${value.toFixed(2)} ms` : `${formatCount(value)} ms`);
const megabytes = (value: number | null): string => (value === null ? 'not told here' : `${formatCount(value)} MB`);

/** Return the ratio of the slowest size to the smallest: longer, or fewer per second. */
function growthOf({ ours, unit }: Question): number {
  const [first = Number.NaN] = ours;
  return unit === 'ms' ? Math.max(...ours) / first : first / Math.min(...ours);
}

/** Return sentences about the missed targets. */
export function missedScaleTargets({ history, consoles, console }: Scale): string[] {
  return [
    ...(history?.questions ?? [])
      .filter((one) => growthOf(one) > GROWTH)
      .map((one) => `${one.name}: ${growthOf(one).toFixed(2)} times as dear in a longer history, the aim is ${GROWTH}`),
    ...(consoles && consoles.ours.p99 / consoles.bare.p99 > LATENCY_RATIO
      ? [`consoles hear of a message after ${ms(consoles.ours.p99)}, a bare relay's after ${ms(consoles.bare.p99)}`]
      : []),
    ...(console?.views ?? [])
      .filter((one) => one.firstMs > FIRST_MS)
      .map((one) => `${one.name} can be used after ${ms(one.firstMs)}, the aim is ${ms(FIRST_MS)}`),
  ];
}

export function historySection({ history }: Scale): string | null {
  if (!history) return null;
  const { sizes, questions, gigabytes } = history;
  const formatValue = (value: number, unit: Question['unit']): string =>
    unit === 'ms' ? ms(value) : `${formatCount(value)} a second`;
  const rows = questions.map((one) => {
    const growth = growthOf(one);
    const { bare } = one;
    const ratio = bare === null ? '' : ((one.ours.at(-1) ?? Number.NaN) / bare).toFixed(2);
    return `| ${one.name} | ${one.ours.map((value) => formatValue(value, one.unit)).join(' | ')} | **${growth.toFixed(2)}**${growth > GROWTH ? ', over' : ''} | ${bare === null ? '' : formatValue(bare, one.unit)} | ${ratio} |`;
  });
  return `A product has 1,000 messages and 100 leads in every size (the one asked about 505), ten products make a company, and the rows of all lie scattered among each other; as many hooks as messages lie settled in the inbox. All sizes are asked in turn, one question at a time, medians; none may take more than ${GROWTH} times as long as the smallest. The bare handler is asked the same, at the largest size, where there is one.

| messages | ${sizes.map(formatCount).join(' | ')} | growth | bare, largest | ours to bare |
|---|${'---|'.repeat(sizes.length)}---|---|---|
${rows.join('\n')}
| on disk | ${gigabytes.map((one) => `${one.toFixed(2)} GB`).join(' | ')} | | | |`;
}

export function consolesSection({ consoles }: Scale): string | null {
  if (!consoles) return null;
  const { ours, bare } = consoles;
  const cpu = (value: number | null): string => (value === null ? 'not told here' : `${value.toFixed(1)} µs`);
  const ratio = (mine: number | null, theirs: number | null): string =>
    mine === null || theirs === null ? '' : `**${(mine / theirs).toFixed(1)}**`;
  return `${consoles.consoles} consoles listen to one product while ${consoles.perSecond} messages a second change for ${consoles.seconds} s: ${formatCount(consoles.consoles * consoles.perSecond)} events a second, every one of which arrived. The bare relay listens to the same notices, reads the row by its id and sends it to everybody; it gathers nothing, where ours waits 40 ms for what comes together. Aim: the slowest hundredth within ${LATENCY_RATIO} times the relay's.

| | ours | bare | ours to bare |
|---|---|---|---|
| notice → console, median | ${ms(ours.p50)} | ${ms(bare.p50)} | ${ratio(ours.p50, bare.p50)} |
| notice → console, slowest hundredth | ${ms(ours.p99)} | ${ms(bare.p99)} | ${ratio(ours.p99, bare.p99)} |
| CPU of the process for each event and console | ${cpu(ours.cpuUs)} | ${cpu(bare.cpuUs)} | ${ratio(ours.cpuUs, bare.cpuUs)} |`;
}

export function memorySection({ memory }: Scale): string | null {
  if (!memory) return null;
  const { ours, bare } = memory;
  const row = (
    name: string,
    of: (one: Footprint) => number | null,
    formatValue: (value: number | null) => string,
  ): string => {
    const [mine, theirs] = [of(ours), of(bare)];
    return `| ${name} | ${formatValue(mine)} | ${formatValue(theirs)} | ${mine === null || theirs === null ? '' : `**${(mine / theirs).toFixed(1)}**`} |`;
  };
  return `One server process with both roles, PostgreSQL not counted, against the bare handler. The load: lists and hooks for ${memory.seconds} s, 32 at a time each, while what the hooks bring is worked on.

| | ours | bare | ours to bare |
|---|---|---|---|
${row(
  'process begins → first 200',
  (one) => one.startMs,
  (value) => ms(value ?? Number.NaN),
)}
${row('memory at rest', (one) => one.idleMb, megabytes)}
${row('memory under load, at most', (one) => one.peakMb, megabytes)}
${row('memory a minute after', (one) => one.afterMb, megabytes)}`;
}

export function consoleSection({ console }: Scale): string | null {
  if (!console) return null;
  const { views, budget, weights } = console;
  const [login] = weights.filter(({ name }) => name === 'login');
  const heaviest = weights.filter(({ name }) => name !== 'login').slice(0, 3);
  const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(0)} KB`;
  return `The built console in headless Chromium at 1280×800, loopback, no graphics card; transferred bytes as the browser counts them (brotli, with fonts and answers of the API). Aim: usable within ${ms(FIRST_MS)} by somebody who was never here.

| | usable, first time | usable, again | transferred, first time | requests | transferred, again |
|---|---|---|---|---|---|
${views.map((one) => `| ${one.name} | ${ms(one.firstMs)} | ${ms(one.againMs)} | ${formatCount(one.kilobytes)} KB | ${formatCount(one.requests)} | ${formatCount(one.againKilobytes)} KB |`).join('\n')}

The build weighs scripts and styles of each first view, gzipped, and fails over ${budget['login']} KB for the sign-in page or ${budget['page']} KB for any other: sign-in ${kilobytes(login?.bytes ?? Number.NaN)} in ${login?.files} files, the heaviest pages ${heaviest.map(({ name, bytes }) => `${name} ${kilobytes(bytes)}`).join(', ')}.`;
}

export function partitionsSection({ partitions }: Scale): string | null {
  if (!partitions) return null;
  const { rows, months, questions } = partitions;
  return `The same ${formatCount(rows)} messages, a dialogue's twenty within a few minutes of each other, in one table and in one for each of ${months} months, both with all indices of today; a unique index of the second has to hold the month as well. One connection, named statements as everywhere in ours (planned once where one plan serves all values), medians; told without an aim. What this is for stands in [docs/scale.md](../docs/scale.md).

| | one table | one a month | months to one |
|---|---|---|---|
${questions.map((one) => `| ${one.name} | ${ms(one.whole)} | ${ms(one.months)} | **${(one.months / one.whole).toFixed(2)}** |`).join('\n')}`;
}
