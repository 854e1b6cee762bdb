/** The report's sections about outreach, and its missed targets. */
import type { DuePath } from './dueMessages.ts';
import type { Exchange } from './exchange.ts';
import type { RehearsalTimes, SweepResult } from './sweep.ts';

const GROWTH = 1.5;
const REHEARSAL_MS = 5000;
const DUE_RATIO = 0.5;

export interface Outreach {
  readonly rehearsal: RehearsalTimes;
  readonly due: DuePath;
}

const formatCount = (value: number): string => Math.round(value).toLocaleString('en');
const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : formatCount(value)} ms`;

/** Return the ratio of the slowest size to the smallest size. */
const growthOf = (sweep: readonly SweepResult[]): number =>
  Math.max(...sweep.map((one) => one.sweepMs)) / (sweep[0]?.sweepMs ?? Number.NaN);

const ratioOf = ({ path, jobs }: DuePath): number => path / jobs;

/** Return sentences about the missed targets. */
export function outreachMisses(sweep: readonly SweepResult[] | undefined, outreach: Outreach | undefined): string[] {
  return [
    ...(sweep && growthOf(sweep) > GROWTH
      ? [`the sweep takes ${growthOf(sweep).toFixed(2)} times as long among more leads, the aim is ${GROWTH}`]
      : []),
    ...(outreach && outreach.rehearsal.endpointMs > REHEARSAL_MS
      ? [`a rehearsal takes ${ms(outreach.rehearsal.endpointMs)}, the aim is ${ms(REHEARSAL_MS)}`]
      : []),
    ...(outreach && ratioOf(outreach.due) < DUE_RATIO
      ? [`due messages go at ${ratioOf(outreach.due).toFixed(3)} of the bare job runner, the aim is ${DUE_RATIO}`]
      : []),
  ];
}

export function sweepSection(sweep: readonly SweepResult[] | undefined): string | null {
  if (!sweep) return null;
  return `200 leads of a hundred products fall due at each look; all others wait. Each lead has a contact, a dialogue and two messages; the product has hours and five follow-ups. The dearest size takes **${growthOf(sweep).toFixed(2)}** times as long as the smallest, the aim is ${GROWTH}.

| leads | nothing is due | facts of 200 leads read | a whole sweep over 200 due leads |
|---|---|---|---|
${sweep.map((one) => `| ${formatCount(one.leads)} | ${ms(one.idleMs)} | ${ms(one.factsMs)} | ${ms(one.sweepMs)} |`).join('\n')}`;
}

export function outreachSection(outreach: Outreach | undefined): string | null {
  if (!outreach) return null;
  const { rehearsal, due } = outreach;
  return `A rehearsal of ${rehearsal.days} days for ${formatCount(rehearsal.leads)} leads in five zones with five follow-ups each, ${formatCount(rehearsal.messages)} messages: the facts are read in ${ms(rehearsal.factsMs)}, the rehearsal takes ${ms(rehearsal.rehearseMs)}, the request until its last byte **${ms(rehearsal.endpointMs)}**; the aim is ${ms(REHEARSAL_MS)}.

${formatCount(due.messages)} first messages over ${due.keys} keys fall due at once; one worker sends them, the vendor's limit on each key holds (${due.tooFast} answers 429). **${formatCount(due.path)}** a second are accepted, against ${formatCount(due.jobs)} trivial jobs a second of the bare job runner with as many hands: **${ratioOf(due).toFixed(3)}**, the aim is ${DUE_RATIO}. A message asks the database 55 things on its way, a trivial job two.`;
}

export function exchangeSection(exchange: Exchange | undefined): string | null {
  if (!exchange) return null;
  const { keys, leads, perSecond, serverMs, databaseMs, transactions } = exchange;
  const cost = (value: number | null): string => (value === null ? 'not told here' : `${value.toFixed(1)} ms`);
  return `${formatCount(leads)} leads over ${keys} numbers write at once; a model that answers at once answers each, and the vendor's limit on each number holds. From the first message to the last answer on its phone, less the debounce: **${formatCount(perSecond)}** exchanges a second, both roles in one process, emulators and PostgreSQL on the same machine; told without an aim. An exchange is the hook, the message, the turn, the run, the answer, its three statuses.

| of one exchange | |
|---|---|
| CPU of the server | ${cost(serverMs)} |
| CPU of PostgreSQL, all its processes | ${cost(databaseMs)} |
| committed transactions | ${transactions.toFixed(1)} |${coresFor(exchange)}`;
}

/** Messages per second, inbound and outbound together: half of them are exchanges. */
const AIM_A_SECOND = 1000;
/** Planned maximum share of a core's time. */
const BUSY = 0.6;

/** Describe what the figures above mean for the target, by multiplication only. */
function coresFor({ serverMs, databaseMs }: Exchange): string {
  if (serverMs === null || databaseMs === null) return '';
  const cores = (each: number): string => formatCount(Math.ceil(((AIM_A_SECOND / 2) * each) / 1000 / BUSY));
  return `

By multiplication, not measured: ${formatCount(AIM_A_SECOND)} messages a second, half of them from leads, are ${formatCount(AIM_A_SECOND / 2)} exchanges; with cores ${BUSY * 100} % busy they take ${cores(serverMs)} cores of servers and ${cores(databaseMs)} of PostgreSQL like these.`;
}
