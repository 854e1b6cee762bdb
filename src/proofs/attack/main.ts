/**
 * `npm run attack [-- --only sql|slow|block|crowds|lists] [--match PART_OF_AN_ENDPOINT] [--connections N] [--seconds
 * S]`: runs sqlmap, slowhttptest, blocking work, floods and lists against the product on loopback. Writes
 * bench/SECURITY.md (nothing with --match). Exits with code 1 on a finding.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machine, type Report, writeSection } from '../../testing/reportSections.ts';
import { attackByWork, type Blocking } from './blocking.ts';
import { notInstalledMessage } from './externalProgram.ts';
import { attackByFloods, type FloodResult, isWithinLimits, MAX_SLOWDOWN, MIN_SERVED_SHARE } from './floods.ts';
import { type Injections, injectEverywhere } from './injection.ts';
import { attackByLists, type ListMemory, MAX_GROWTH_MB } from './lists.ts';
import { attackSlowly, type Slowness } from './slowness.ts';
import { openTarget, type Target } from './target.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    match: { type: 'string', default: '' },
    connections: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '40' },
    'crowd-seconds': { type: 'string', default: '15' },
    lists: { type: 'string', default: '10000' },
  },
});

const REPORT: Report = {
  file: join(import.meta.dirname, '../../../bench/SECURITY.md'),
  title: 'Attacks',
  intro:
    'Made by `npm run attack`; with `-- --only sql`, `slow`, `block`, `crowds` or `lists` one section is made anew and the others kept. The product runs on loopback, on a database of its own.',
  headings: ['SQL injection', 'Slow connections', 'Work that blocks', 'Crowds', 'Lists with every mix of filters'],
};

const log = (line: string): void => console.log(line);
const environmentLine = (target: Target): string =>
  `${new Date().toISOString().slice(0, 10)}. ${machine()}, PostgreSQL ${target.postgres}.`;

function injectionsSection(found: Injections): string {
  return `sqlmap with an admin's cookie on every parameter, and every id in the path, of every GET: ${found.endpoints} endpoints, ${found.parameters} parameters, ${found.requests} requests, ${Math.round(found.seconds / 60)} min. Free texts with level 2 and risk 2, the others with 1 and 1. An answer that shows the database's own words is a finding too.

| | |
|---|---|
| Findings | **${found.findings.length}** |
| A handler that is made to be injected is found by the same call | ${found.control ? 'yes' : '**no**: this section proves nothing'} |

${found.findings.map((one) => `- ${one.replaceAll('\n', ' ')}`).join('\n')}`;
}

function slownessSection(found: readonly Slowness[]): string {
  const lines = found.map(
    (one) =>
      `| ${one.name} | ${one.connections + one.closed === 0 ? 'all refused at once' : `${one.connections} / ${one.closed}`} | ${one.seconds} s | ${one.asked} | **${one.failed}** | ${one.medianMs.toFixed(0)} / ${one.worstMs.toFixed(0)} ms | ${one.recovered ? 'yes' : '**no**'} |`,
  );
  return `slowhttptest with ${values.connections} connections wanted. Meanwhile a list of leads is asked for, one request after the other with 50 ms between them; one that is not answered with 200 within 5 s counts as not served.

| attack | connections open / closed | for | ordinary requests | not served | median / worst | well afterwards |
|---|---|---|---|---|---|---|
${lines.join('\n')}`;
}

function blockingSection({ lines, memory }: Blocking): string {
  const rows = lines.map(
    (one) =>
      `| ${one.attack} | ${one.what} | ${one.quietMs.toFixed(1)} ms | **${one.attackedMs.toFixed(1)} ms** | ${one.asked} | ${one.failed} |`,
  );
  return `A member of one company asks for as much work as he may. Meanwhile three kinds of ordinary requests are made, one after the other; the median under attack has to stay under 10 times the quiet one, and 99 % have to be answered.

| attack | ordinary request | quiet | under attack | asked | not served |
|---|---|---|---|---|---|
${rows.join('\n')}

Twenty streamed answers of 300 KB each on one socket of the playground: the process grew by **${memory.grownMb.toFixed(0)} MB** (at most 100), and each was cut off at 256 KB: ${memory.cut === memory.asked ? 'yes' : `**no**, ${memory.cut} of ${memory.asked}`}.`;
}

function floodsSection(found: readonly FloodResult[]): string {
  const ms = (of: FloodResult['quiet'][number] | undefined): string =>
    of ? `${of.medianMs.toFixed(0)} / ${of.p99Ms.toFixed(0)} ms` : '';
  const lines = found.flatMap((one) =>
    one.flooded.map(
      (other, index) =>
        `| ${one.name} | ${one.connections} | ${other.name} | ${ms(one.quiet[index])} | ${ms(other)} | ${other.asked} | **${other.failed}** | ${one.load.toFixed(0)} |`,
    ),
  );
  const floodAnswers = found.map((one) => `- ${one.name}: ${JSON.stringify(one.floodAnswers)}`);
  return `A process of its own asks on so many connections, each again at once, or 250 ms after a refusal with 429 or 503. Meanwhile others are asked for, one request after the other of each kind with 50 ms between them; first for ${found[0]?.seconds} s without the crowd. They have to stay under ${MAX_SLOWDOWN} times their quiet latency (the median), with ${MIN_SERVED_SHARE * 100} % answered with 200 within 10 s. Version 1.0.0, measured on another day: 20 connections with hooks to unknown addresses took \`/healthz\` to 2.9 s and a good hook from 0.07 to 8.1 s; 256 calls to a silent model had every list and login refused; 300 connections with logins had 127 of 134 calls of an operator refused.

| crowd | connections | others | quiet, median / p99 | with the crowd | asked | not served | load of the machine |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}

What the crowds were answered, by status (0: cut off):

${floodAnswers.join('\n')}`;
}

function listsSection(found: ListMemory): string {
  return `An admin asks for every list, each time with other filters of one to forty values, 16 at once. Version 1.0.0, measured on another day: 2,146 lists took the connections from 31 MB to 3.6 GB.

| lists | not answered with 200 | connections | memory of their own before / after |
|---|---|---|---|
| ${found.calls} | **${found.refused}** | ${found.backends} | ${found.beforeMb.toFixed(0)} / **${found.afterMb.toFixed(0)} MB** |`;
}

async function main(): Promise<boolean> {
  const isSelected = (part: string): boolean => values.only === undefined || values.only === part;
  if (values.only !== undefined && !['sql', 'slow', 'block', 'crowds', 'lists'].includes(values.only)) {
    console.error('--only has to be sql, slow, block, crowds or lists.');
    return false;
  }
  const missingPrograms = [
    isSelected('sql') ? notInstalledMessage('sqlmap', 'apt-get install sqlmap.') : null,
    isSelected('slow') ? notInstalledMessage('slowhttptest', 'apt-get install slowhttptest.') : null,
  ].filter((one) => one !== null);
  if (missingPrograms.length > 0) {
    console.error(missingPrograms.join('\n'));
    return false;
  }
  const target = await openTarget();
  let passed = true;
  try {
    if (isSelected('slow')) {
      const result = await attackSlowly(target, Number(values.connections), Number(values.seconds), log);
      passed =
        passed &&
        result.every(
          (one) => one.failed === 0 && one.asked > 0 && one.recovered && (one.refusedAtOnce || one.connections > 0),
        );
      writeSection(REPORT, 'Slow connections', `${environmentLine(target)}\n\n${slownessSection(result)}`);
    }
    if (isSelected('block')) {
      const result = await attackByWork(target, log);
      passed = passed && result.passed;
      writeSection(REPORT, 'Work that blocks', `${environmentLine(target)}\n\n${blockingSection(result)}`);
    }
    if (isSelected('crowds')) {
      const result = await attackByFloods(target, Number(values['crowd-seconds']), log);
      passed = passed && result.every(isWithinLimits);
      writeSection(REPORT, 'Crowds', `${environmentLine(target)}\n\n${floodsSection(result)}`);
    }
    if (isSelected('lists')) {
      const result = await attackByLists(target, Number(values.lists), log);
      passed = passed && result.refused === 0 && result.afterMb - result.beforeMb < MAX_GROWTH_MB;
      writeSection(REPORT, 'Lists with every mix of filters', `${environmentLine(target)}\n\n${listsSection(result)}`);
    }
    if (isSelected('sql')) {
      const result = await injectEverywhere(target, values.match, log);
      passed = passed && result.control && result.findings.length === 0;
      if (values.match === '')
        writeSection(REPORT, 'SQL injection', `${environmentLine(target)}\n\n${injectionsSection(result)}`);
      else log(`${result.parameters} parameters, ${result.requests} requests, ${result.findings.length} findings`);
    }
  } finally {
    await target.close();
  }
  log(passed ? 'Nothing was found.' : 'Something was found: see above.');
  return passed;
}

// The processes that it started end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exit((await main()) ? 0 : 1);
