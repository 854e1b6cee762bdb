import { resolve } from 'node:path';
import { openCommandDatabase, runCommand } from './commandLine.ts';
import { restoreBackup } from './restore.ts';

// `npm run restore -- FILE [--force]`: on a stopped installation.
await runCommand(async () => {
  const words = process.argv.slice(2);
  const force = words.includes('--force');
  const [file, ...more] = words.filter((word) => word !== '--force');
  if (file === undefined || file.startsWith('-') || more.length > 0) {
    throw new Error('Usage: npm run restore -- FILE [--force]');
  }
  const database = await openCommandDatabase('alone');
  try {
    const { tables, rows } = await restoreBackup(database.url, resolve(file), { force });
    console.log(`Restored ${rows} rows of ${tables} tables from ${file}.`);
    console.log(
      'The secret key is not in a backup. Before you start the server, put the one that belongs to it in place:',
    );
    console.log(`${database.keyAdvice}.`);
  } finally {
    await database.close();
  }
});
