import { migrate } from './migrate.ts';
import { openCommandDatabase, runCommand } from './postgres/commandLine.ts';

// `npm run migrate`: brings the database up to date before nodes start whose role may not do it.
await runCommand(async () => {
  const database = await openCommandDatabase('join');
  try {
    await migrate(database.url);
    console.log('The database is up to date.');
  } finally {
    await database.close();
  }
});
