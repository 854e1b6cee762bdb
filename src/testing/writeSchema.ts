/** `npm run schema`: writes docs/schema/, a file for each table, and the types of their rows from a freshly migrated database. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../platform/migrate.ts';
import { describeRows, describeSchema } from './describeSchema.ts';
import { makeTemplate, openTestServer } from './testServer.ts';

const ROWS = join(import.meta.dirname, '../platform/postgres/rows.ts');
const FOLDER = join(import.meta.dirname, '../../docs/schema');

const server = await openTestServer();
const template = await makeTemplate(server.adminUrl, async (url) => {
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER);
  for (const [name, text] of Object.entries(await describeSchema(client)))
    await writeFile(join(FOLDER, `${name}.sql`), text);
  await writeFile(ROWS, await describeRows(client));
  await client.end();
});
await template.drop();
await server.stop();
