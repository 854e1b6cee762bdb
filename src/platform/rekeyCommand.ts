import pg from 'pg';
import { readConfig } from './config.ts';
import { openSecretCipher } from './installation.ts';
import { openCommandDatabase, runCommand } from './postgres/commandLine.ts';
import { rekey } from './rekey.ts';

// `npm run rekey`: runs beside servers that know both keys, or on a stopped installation.
await runCommand(async () => {
  const database = await openCommandDatabase('join');
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  try {
    const { reencrypted, unreadable } = await rekey(pool, await openSecretCipher(pool, readConfig(process.env)));
    console.log(`Sealed ${reencrypted} values under the current secret key.`);
    if (unreadable.length > 0)
      throw new Error(`No known key opens: ${unreadable.join(', ')}. They were left as they are.`);
    console.log('All values are under it: the other keys are no longer needed, except for backups made before.');
  } finally {
    await pool.end();
    await database.close();
  }
});
