/**
 * `npm run attack [-- --only sql|slow|block] [--match PART_OF_AN_ENDPOINT] [--connections N] [--seconds S]`: sqlmap and
 * slowhttptest against the product, on loopback. Writes bench/SECURITY.md (with --match nothing); exit code 1 on a finding.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machine, type Report, writeSection } from '../testing/sections.ts';
import { attackByWork, type Blocking } from './blocking.ts';
import { type Injections, injectEverywhere } from './injection.ts';
import { missing } from './program.ts';
import { attackSlowly, type Slowness } from './slowness.ts';
import { openTarget, type Target } from './target.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    match: { type: 'string', default: '' },
    connections: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '40' },
  },
});

const REPORT: Report = {
  file: join(import.meta.dirname, '../../bench/SECURITY.md'),
  title: 'Attacks',
  intro:
    'Made by `npm run attack`; with `-- --only sql`, `slow` or `block` one section is made anew and the other kept. The product runs on loopback, on a database of its own.',
  headings: ['SQL injection', 'Slow connections', 'Work that blocks'],
};

const say = (line: string): void => console.log(line);
const made = (target: Target): string =>
  `${new Date().toISOString().slice(0, 10)}. ${machine()}, PostgreSQL ${target.postgres}.`;

function ofInjections(found: Injections): string {
  return `sqlmap with an admin's cookie on every parameter, and every id in the path, of every GET: ${found.endpoints} endpoints, ${found.parameters} parameters, ${found.requests} requests, ${Math.round(found.seconds / 60)} min. Free texts with level 2 and risk 2, the others with 1 and 1. An answer that shows the database's own words is a finding too.

| | |
|---|---|
| Findings | **${found.findings.length}** |
| A handler that is made to be injected is found by the same call | ${found.control ? 'yes' : '**no**: this section proves nothing'} |

${found.findings.map((one) => `- ${one.replaceAll('\n', ' ')}`).join('\n')}`;
}

function ofSlowness(found: readonly Slowness[]): string {
  const lines = found.map(
    (one) =>
      `| ${one.name} | ${one.connections} / ${one.closed} | ${one.seconds} s | ${one.asked} | **${one.failed}** | ${one.medianMs.toFixed(0)} / ${one.worstMs.toFixed(0)} ms | ${one.well ? 'yes' : '**no**'} |`,
  );
  return `slowhttptest with ${values.connections} connections wanted. Meanwhile a list of leads is asked for, one request after the other with 50 ms between them; one that is not answered with 200 within 5 s counts as not served.

| attack | connections open / closed | for | ordinary requests | not served | median / worst | well afterwards |
|---|---|---|---|---|---|---|
${lines.join('\n')}`;
}

function ofBlocking({ lines, memory }: Blocking): string {
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

async function main(): Promise<boolean> {
  const wants = (part: string): boolean => values.only === undefined || values.only === part;
  if (values.only !== undefined && !['sql', 'slow', 'block'].includes(values.only)) {
    console.error('--only has to be sql, slow or block.');
    return false;
  }
  const lacking = [
    wants('sql') ? missing('sqlmap', 'apt-get install sqlmap.') : null,
    wants('slow') ? missing('slowhttptest', 'apt-get install slowhttptest.') : null,
  ].filter((one) => one !== null);
  if (lacking.length > 0) {
    console.error(lacking.join('\n'));
    return false;
  }
  const target = await openTarget();
  let sound = true;
  try {
    if (wants('slow')) {
      const found = await attackSlowly(target, Number(values.connections), Number(values.seconds), say);
      sound =
        sound &&
        found.every((one) => one.failed === 0 && one.asked > 0 && one.well && one.connections + one.closed > 0);
      writeSection(REPORT, 'Slow connections', `${made(target)}\n\n${ofSlowness(found)}`);
    }
    if (wants('block')) {
      const found = await attackByWork(target, say);
      sound = sound && found.sound;
      writeSection(REPORT, 'Work that blocks', `${made(target)}\n\n${ofBlocking(found)}`);
    }
    if (wants('sql')) {
      const found = await injectEverywhere(target, values.match, say);
      sound = sound && found.control && found.findings.length === 0;
      if (values.match === '') writeSection(REPORT, 'SQL injection', `${made(target)}\n\n${ofInjections(found)}`);
      else say(`${found.parameters} parameters, ${found.requests} requests, ${found.findings.length} findings`);
    }
  } finally {
    await target.close();
  }
  say(sound ? 'Nothing was found.' : 'Something was found: see above.');
  return sound;
}

// Processes that it started end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
process.exit((await main()) ? 0 : 1);
