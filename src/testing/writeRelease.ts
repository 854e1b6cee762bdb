/**
 * `npm run release-data`: writes a backup of this version with the demo company and some conversations to
 * `src/testing/releases`. Later versions must be able to upgrade it: see `platform/postgres/upgrade.test.ts`. Takes
 * about a minute.
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../platform/migrate.ts';
import { writeBackup } from '../platform/postgres/backup.ts';
import { VERSION } from '../platform/version.ts';
import { startProduct } from './productProcess.ts';
import { makeTemplate, openTestServer } from './testServer.ts';
import { SECRET_KEY } from './world.ts';

const FOLDER = join(import.meta.dirname, 'releases');
const TIMEOUT_MS = 120_000;

/** Let the demo's leads write, and wait for replies. */
async function createConversations(url: string): Promise<void> {
  const product = await startProduct({}, { url, drop: async () => undefined });
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  try {
    const control = await product.emulators();
    await product.waitForHooks();
    const { rows } = await pool.query<{ address: string; ref: string; name: string }>(
      `select d.address, h.vendor_ref as ref, l.name
         from dialogues d join channels h on h.id = d.channel_id join contacts c on c.id = d.contact_id
         join leads l on l.id = c.lead_id join products p on p.id = d.product_id
        where d.owner = 'bot' and l.is_active and h.vendor = 'wazzup24' and h.channel_type = 'whatsapp'
          and l.stage in ('started', 'ongoing') and not exists (select 1 from schedules s where s.product_id = p.id)
        order by d.id limit 4`,
    );
    if (rows.length === 0) throw new Error('The demo has nobody to talk with');
    const { rows: before } = await pool.query<{ count: number }>(ANSWERS);
    for (const one of rows)
      await control.write(one.address, { channelId: one.ref, name: one.name, text: 'How long does delivery take?' });
    // Not every lead gets a reply: the demo has dialogues in all their states.
    const expected = (before[0]?.count ?? 0) + Math.ceil(rows.length / 2);
    for (const end = performance.now() + TIMEOUT_MS; ; await pause(200)) {
      const { rows: now } = await pool.query<{ count: number }>(ANSWERS);
      if ((now[0]?.count ?? 0) >= expected) break;
      if (performance.now() > end) throw new Error(`Only ${now[0]?.count} answers of ${expected}`);
    }
  } finally {
    await pool.end();
    await product.close();
  }
}

const ANSWERS = "select count(*)::int from messages where author = 'bot' and status in ('delivered', 'read')";

const server = await openTestServer();
const template = await makeTemplate(server.adminUrl, async (url) => {
  await migrate(url);
  await createConversations(url);
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${VERSION}.backup`);
  const { rows, tables } = await writeBackup(url, file, SECRET_KEY);
  console.log(`${rows} rows of ${tables} tables, ${statSync(file).size} bytes: ${file}`);
});
await template.drop();
await server.stop();
