/** `npm run schema`: writes docs/schema.sql from a freshly migrated database. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../platform/migrate.ts';
import { describeSchema } from './describeSchema.ts';
import { makeTemplate, openTestServer } from './testServer.ts';

const server = await openTestServer();
const template = await makeTemplate(server.adminUrl, async (url) => {
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await writeFile(join(import.meta.dirname, '../../docs/schema.sql'), await describeSchema(client));
  await client.end();
});
await template.drop();
await server.stop();
