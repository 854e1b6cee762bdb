import { resolve } from 'node:path';
import { readConfig } from '../config.ts';
import { readSecretKeys } from '../installation.ts';
import { writeBackup } from './backup.ts';
import { openCommandDatabase, runCommand } from './commandLine.ts';

// `npm run backup -- FILE`: works beside a running server, or on a stopped installation.
await runCommand(async () => {
  const [file, ...more] = process.argv.slice(2);
  if (file === undefined || file.startsWith('-') || more.length > 0) throw new Error('Usage: npm run backup -- FILE');
  const database = await openCommandDatabase('join');
  try {
    const [secretKey] = readSecretKeys(readConfig(process.env));
    const { tables, rows } = await writeBackup(database.url, resolve(file), secretKey);
    console.log(`Wrote ${rows} rows of ${tables} tables to ${file}.`);
    console.log(`The secret key is not in it. Keep ${database.keyAdvice} too, in another place:`);
    console.log('without it the backup cannot be verified, nor the vendor keys in it be read.');
  } finally {
    await database.close();
  }
});
