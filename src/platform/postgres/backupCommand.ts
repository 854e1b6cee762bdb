import { resolve } from 'node:path';
import { writeBackup } from './backup.ts';
import { openCommandDatabase, runCommand } from './commandLine.ts';

// `npm run backup -- FILE`: works beside a running server, or on a stopped installation.
await runCommand(async () => {
  const [file, ...more] = process.argv.slice(2);
  if (file === undefined || file.startsWith('-') || more.length > 0) throw new Error('Usage: npm run backup -- FILE');
  const database = await openCommandDatabase('join');
  try {
    const { tables, rows } = await writeBackup(database.url, resolve(file));
    console.log(`Wrote ${rows} rows of ${tables} tables to ${file}.`);
    console.log(`The secret key is not in it. Keep ${database.keyAdvice} too, in another place:`);
    console.log('without it the vendor keys in the backup cannot be read.');
  } finally {
    await database.close();
  }
});
