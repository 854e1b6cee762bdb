/**
 * `npm run bench [-- --rounds N --seconds S --rows 10000,100000,1000000]`: our list and ingest against a bare handler,
 * and the times that operators feel. Writes bench/REPORT.md; exit code 1 when an aim is missed.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureGrowth } from './growth.ts';
import { compareIngest, compareList } from './ratios.ts';
import { type Measured, misses, reportOf } from './report.ts';
import { openSetting } from './setting.ts';
import { measureConversation, measureStarts } from './times.ts';

const REPORT = join(import.meta.dirname, '../../bench/REPORT.md');

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    rows: { type: 'string', default: '10000,100000' },
  },
});

async function measure(): Promise<Measured> {
  const rounds = { count: Number(values.rounds), seconds: Number(values.seconds) };
  console.log('npm start …');
  const starts = await measureStarts(5);
  const setting = await openSetting();
  try {
    // Only the web role: what is measured is the ingest, not the work that follows from it.
    await setting.serve({ RAPPORT_ROLES: 'web' });
    console.log('list …');
    const lists = await compareList(setting, rounds);
    console.log('ingest …');
    const ingest = await compareIngest(setting, rounds);
    const { rows } = await setting.pool.query<{ version: string }>(
      "select current_setting('server_version') as version",
    );
    // What the ingest left is nobody's work.
    await setting.pool.query('truncate inbox; delete from graphile_worker._private_jobs');
    console.log('conversation …');
    const felt = await measureConversation(setting, 20);
    console.log('growth …');
    const grown = await measureGrowth(setting, values.rows.split(',').map(Number));
    return { starts, compared: [...lists, ...ingest], felt, grown, rounds, postgres: rows[0]?.version ?? '' };
  } finally {
    await setting.close();
  }
}

const measured = await measure();
const report = reportOf(measured);
mkdirSync(join(REPORT, '..'), { recursive: true });
writeFileSync(REPORT, report);
console.log(report);
const missed = misses(measured);
for (const one of missed) console.log(`Missed: ${one}`);
process.exit(missed.length > 0 ? 1 : 0);
