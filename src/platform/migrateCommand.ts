import { migrate } from './migrate.ts';
import { openCommandDatabase, runCommand } from './postgres/commandLine.ts';

// `npm run migrate`: migrate the database before nodes start whose role may not do so.
await runCommand(async () => {
  const database = await openCommandDatabase('join');
  try {
    await migrate(database.url);
    console.log('The database is up to date.');
  } finally {
    await database.close();
  }
});
