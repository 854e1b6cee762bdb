/**
 * `npm run bench [-- --only lists,thread --rounds N --seconds S --rows 10000,100000 --history 10000,1000000]`: measures
 * our lists and ingest against a bare handler, the times that operators feel, a history of up to ten million messages,
 * a long dialogue in a browser, the console's weight, five hundred consoles, streamed answers, outreach among many
 * leads, start and memory. Writes bench/REPORT.md; exits with code 1 if a target is missed.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureFirstToken } from './assistant.ts';
import { compareIngest, compareList } from './compareWithBare.ts';
import { measureConsole } from './console.ts';
import { measureConsoles } from './consoles.ts';
import { measureDue } from './dueMessages.ts';
import { openEnvironment, startCluster } from './environment.ts';
import { measureExchange } from './exchange.ts';
import { measureGrowth } from './growth.ts';
import { measureHistory } from './history.ts';
import { measureLists } from './lists.ts';
import { measureMemory } from './memory.ts';
import { measureConversation, measureStarts } from './operatorTimes.ts';
import { measurePartitions } from './partitions.ts';
import { type Measured, missedTargets, renderReport } from './report.ts';
import type { Scale } from './scaleReport.ts';
import { measureStreams } from './streams.ts';
import { measureRehearsal, measureSweep } from './sweep.ts';
import { measureThread } from './thread.ts';

const REPORT = join(import.meta.dirname, '../../../bench/REPORT.md');

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    rows: { type: 'string', default: '10000,100000' },
    partitions: { type: 'string', default: '5000000' },
    history: { type: 'string', default: '10000,100000,1000000,10000000' },
  },
});

const PARTS = [
  'core',
  'lists',
  'history',
  'thread',
  'console',
  'consoles',
  'streams',
  'sweep',
  'outreach',
  'exchange',
  'assistant',
  'memory',
  'partitions',
] as const;
const selectedParts: readonly string[] = values.only?.split(',') ?? PARTS;
const unknown = selectedParts.find((one) => !PARTS.some((part) => part === one));
if (unknown !== undefined) throw new Error(`There is no part ${unknown}; there are ${PARTS.join(', ')}.`);

const rounds = { count: Number(values.rounds), seconds: Number(values.seconds) };

function sizes(name: 'rows' | 'history'): number[] {
  return values[name].split(',').map(Number);
}

/** Measure everything that shares one environment: starts, list and ingest, the conversation, the sweep. */
async function measureCore(): Promise<Omit<Measured, 'rounds'>> {
  console.log('npm start …');
  const starts = await measureStarts(5);
  const environment = await openEnvironment();
  try {
    // Only the web role: this measures the ingest, not the work that follows from it.
    await environment.serve({ RAPPORT_ROLES: 'web' });
    console.log('list …');
    const list = await compareList(environment, rounds);
    console.log('ingest …');
    const ingest = await compareIngest(environment, rounds);
    // Remove what the ingest left, so that no worker processes it.
    await environment.pool.query('truncate inbox; delete from graphile_worker._private_jobs');
    console.log('conversation …');
    const operatorTimes = await measureConversation(environment, 20);
    console.log('growth …');
    const grown = await measureGrowth(environment, sizes('rows'));
    return { starts, compared: [...list, ...ingest], operatorTimes, grown, postgres: environment.postgres };
  } finally {
    await environment.close();
  }
}

async function measure(): Promise<Measured> {
  let measured: Measured = { rounds, postgres: '' };
  if (selectedParts.includes('core')) measured = { ...measured, ...(await measureCore()) };
  if (selectedParts.includes('lists')) {
    console.log('lists …');
    const lists = await measureLists(rounds.count * 15);
    measured = { ...measured, lists, postgres: lists.postgres };
  }
  if (selectedParts.includes('thread')) {
    console.log('thread …');
    const thread = await measureThread(rounds.count * 3, rounds.count);
    measured = { ...measured, thread, postgres: thread.postgres };
  }
  if (selectedParts.includes('assistant')) {
    console.log('assistant …');
    const firstToken = await measureFirstToken(rounds.count * 10);
    measured = { ...measured, firstToken, postgres: firstToken.postgres };
  }
  if (selectedParts.includes('streams')) {
    console.log('streams …');
    const streams = await measureStreams(rounds.count);
    measured = { ...measured, streams, postgres: streams.postgres };
  }
  if (SCALE.some((part) => selectedParts.includes(part))) measured = { ...measured, ...(await measureScale()) };
  if (OUTREACH.some((part) => selectedParts.includes(part))) measured = { ...measured, ...(await measureOutreach()) };
  return measured;
}

const SCALE: readonly string[] = ['history', 'consoles', 'memory', 'console', 'partitions'];

async function measureScale(): Promise<Omit<Measured, 'rounds'>> {
  let [scale, postgres]: [Scale, string] = [{}, ''];
  if (selectedParts.includes('history')) {
    console.log('history …');
    const history = await measureHistory(sizes('history'), rounds.count * 5, console.log);
    [scale, postgres] = [{ ...scale, history }, history.postgres];
  }
  if (selectedParts.includes('console')) {
    console.log('console …');
    const measuredConsole = await measureConsole(rounds.count);
    [scale, postgres] = [{ ...scale, console: measuredConsole }, measuredConsole.postgres];
  }
  if (selectedParts.includes('consoles')) {
    console.log('consoles …');
    const consoles = await measureConsoles(Math.min(rounds.count, 3), 10);
    [scale, postgres] = [{ ...scale, consoles }, consoles.postgres];
  }
  if (selectedParts.includes('memory')) {
    console.log('memory …');
    const memory = await measureMemory(30);
    [scale, postgres] = [{ ...scale, memory }, memory.postgres];
  }
  if (selectedParts.includes('partitions')) {
    console.log('partitions …');
    const partitions = await measurePartitions(Number(values.partitions), rounds.count * 3);
    [scale, postgres] = [{ ...scale, partitions }, partitions.postgres];
  }
  return { scale, postgres };
}

const OUTREACH: readonly string[] = ['sweep', 'outreach', 'exchange'];

/** Measure outreach among many leads and answers to many, on a cluster of its own. */
async function measureOutreach(): Promise<Omit<Measured, 'rounds'>> {
  const cluster = await startCluster();
  try {
    let measured: Omit<Measured, 'rounds'> = { postgres: cluster.version };
    if (selectedParts.includes('outreach')) {
      console.log('rehearsal …');
      const rehearsal = await measureRehearsal(cluster.url, 10_000, 30, rounds.count);
      console.log('due …');
      const due = await measureDue(cluster.url, { keys: 50, messages: 2000, rounds: 3 });
      measured = { ...measured, outreach: { rehearsal, due } };
    }
    if (selectedParts.includes('exchange')) {
      console.log('exchange …');
      const exchange = await measureExchange(cluster, { keys: 50, leads: 1000, rounds: 3 });
      measured = { ...measured, exchange };
    }
    if (selectedParts.includes('sweep')) {
      console.log('sweep …');
      const sweep = await measureSweep(cluster.url, [10_000, 100_000, 1_000_000], rounds.count * 3);
      measured = { ...measured, sweep };
    }
    return measured;
  } finally {
    await cluster.stop();
  }
}

const measured = await measure();
const former = existsSync(REPORT) ? readFileSync(REPORT, 'utf8') : '';
const report = renderReport(measured, former);
mkdirSync(join(REPORT, '..'), { recursive: true });
writeFileSync(REPORT, report);
console.log(report);
const missed = missedTargets(measured);
for (const one of missed) console.log(`Missed: ${one}`);
process.exit(missed.length > 0 ? 1 : 0);
