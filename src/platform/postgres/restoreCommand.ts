import { resolve } from 'node:path';
import { readConfig } from '../config.ts';
import { readSecretKeys } from '../installation.ts';
import { openCommandDatabase, runCommand } from './commandLine.ts';
import { restoreBackup } from './restore.ts';

// `npm run restore -- FILE [--force] [--unverified]`: works on a stopped installation.
await runCommand(async () => {
  const words = process.argv.slice(2);
  const force = words.includes('--force');
  const isTrusted = words.includes('--unverified');
  const [file, ...more] = words.filter((word) => word !== '--force' && word !== '--unverified');
  if (file === undefined || file.startsWith('-') || more.length > 0) {
    throw new Error('Usage: npm run restore -- FILE [--force] [--unverified]');
  }
  // Read the keys before a database is created: without a key nothing can be verified.
  const secretKeys = isTrusted ? null : readSecretKeys(readConfig(process.env));
  const database = await openCommandDatabase('alone');
  try {
    const { tables, rows } = await restoreBackup(database.url, resolve(file), { force, secretKeys });
    console.log(`Restored ${rows} rows of ${tables} tables from ${file}.`);
    console.log('The secret key is not in a backup. The server needs the one that it was written under:');
    console.log(`${database.keyAdvice}.`);
  } finally {
    await database.close();
  }
});
