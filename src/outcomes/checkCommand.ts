/**
 * `npm run outcomes:check`: compares the ledger of outcomes with a recount from messages, events and runs, row by row.
 * Ends with code 1 if they differ.
 */
import pg from 'pg';
import { openCommandDatabase, runCommand } from '../platform/postgres/commandLine.ts';
import { findLedgerDifferences } from './store/ledger.ts';

await runCommand(async () => {
  const database = await openCommandDatabase('join');
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  try {
    const { differences, rows } = await findLedgerDifferences(pool);
    for (const one of differences) console.log(JSON.stringify(one));
    console.log(`${rows} rows compared, ${differences.length} differ.`);
    if (differences.length > 0) process.exitCode = 1;
  } finally {
    await pool.end();
    await database.close();
  }
});
