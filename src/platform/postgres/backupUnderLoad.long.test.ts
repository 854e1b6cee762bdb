/** Backup and restore while messages flow, of an external PostgreSQL and of the embedded one. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { startApp } from '../../app.ts';
import { freshDatabase } from '../../testing/postgres.ts';
import { startProduct } from '../../testing/productProcess.ts';
import { waitUntilIdle } from '../../testing/waitUntilIdle.ts';
import { createWorld, SECRET_KEY } from '../../testing/world.ts';
import { readConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { writeBackup } from './backup.ts';
import { restoreBackup } from './restore.ts';

const LEADS = 8;
/** Milliseconds between two messages of one lead, so that they are processed as they arrive. */
const BREATH_MS = 100;
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Invariants between the rows of one instant. Each query lists the violations. */
const BROKEN: Readonly<Record<string, string>> = {
  'an item that became a message has none':
    "select i.id from inbox i where i.state = 'done' and i.note = 'message' and not exists (select 1 from messages m where m.id = i.note_detail::bigint)",
  'a message of a lead has no item':
    "select m.id from messages m where m.side = 'user' and not exists (select 1 from inbox i where i.ext_id = m.ext_id and i.state = 'done')",
  "a dialogue's turn is not the number of its messages":
    "select d.id from dialogues d where d.turn <> (select count(*) from messages m where m.dialogue_id = d.id and m.side = 'user')",
  "a dialogue's last message is not there":
    'select d.id from dialogues d where d.last_user_msg_id is not null and not exists (select 1 from messages m where m.id = d.last_user_msg_id and m.dialogue_id = d.id)',
  'a turn is answered twice':
    "select dialogue_id from messages where author = 'bot' and turn is not null and status <> 'cancelled' and part_group is null group by dialogue_id, turn having count(*) > 1",
  'a turn is neither owed nor answered nor given up':
    'select d.id from dialogues d where d.turn > 0 and d.turn_due_at is null and d.no_answer is null and not exists (select 1 from messages m where m.dialogue_id = d.id and m.turn = d.turn)',
  'an answer has another trace than what it answers':
    "select b.id from messages b join messages u on u.id = b.reply_on_msg_id where b.author = 'bot' and b.trace is distinct from u.trace",
  'what was spent is not what the runs cost':
    'select 1 from (select coalesce(sum(input_tokens), 0) as spent from llm_spending) s, (select coalesce(sum(token_input_usage), 0) as ran from llm_runs) r where s.spent <> r.ran',
  'a message in hand is in nobody’s':
    "select m.id from messages m where m.status = 'sending' and not exists (select 1 from nodes n where n.instance_id = m.claimed_by)",
  'a lead has no place in the plan':
    'select l.id from leads l where not exists (select 1 from outreach o where o.lead_id = l.id)',
};

async function broken(pool: pg.Pool): Promise<string[]> {
  const found: string[] = [];
  for (const [what, text] of Object.entries(BROKEN)) {
    const { rowCount } = await pool.query(text);
    if (rowCount) found.push(`${what}: ${rowCount}`);
  }
  return found;
}

function folder(): string {
  const written = mkdtempSync(join(tmpdir(), 'rapport-backups-'));
  undo.push(() => rmSync(written, { recursive: true, force: true }));
  return written;
}

it('takes consistent backups of an external server under load, which resume after a restore', async () => {
  const world = await createWorld();
  const file = join(folder(), 'backup');
  const allLeads = await Promise.all(Array.from({ length: LEADS }, (_, index) => world.lead(`Lead ${index}`)));
  let isFlowing = true;
  const flow = Promise.all(
    allLeads.map(async (one) => {
      for (let turn = 0; isFlowing; turn++) {
        await one.writes(`What does kitchen ${turn} cost?`);
        await pause(BREATH_MS);
      }
    }),
  );
  const count = async (pool: pg.Pool): Promise<number> =>
    (await pool.query<{ count: number }>('select count(*)::int from messages')).rows[0]?.count ?? 0;
  await world.waitUntil(async () => (await count(world.pool)) > 30, 'messages flow', 60_000);
  await writeBackup(world.ownerUrl, file, SECRET_KEY);
  await world.waitUntil(async () => (await count(world.pool)) > 60, 'messages go on flowing', 60_000);
  isFlowing = false;
  await flow;
  await world.app?.stop();

  const other = await freshDatabase();
  undo.push(other.drop);
  await restoreBackup(other.url, file, { force: false, secretKeys: [SECRET_KEY] });
  const pool = new pg.Pool({ connectionString: other.url, max: 2 });
  undo.push(() => pool.end());
  expect(await broken(pool)).toEqual([]);
  const restored = await count(pool);
  expect(restored).toBeGreaterThan(30);
  expect(restored).toBeLessThan(await count(world.pool));

  // The app takes the old one's place: hooks that were not accepted meanwhile are sent to it.
  const app = await startApp(readConfig(world.env({ DATABASE_URL: other.url })), createLog('silent'));
  await waitUntilIdle({ pool, control: world.control, app }, 180_000);
  expect(await broken(pool)).toEqual([]);
  const { rows: missing } = await pool.query(
    "select id, status from messages where status in ('scheduled', 'sending')",
  );
  expect(missing).toEqual([]);
  await app.stop();
  await world.close();
});

it('backs up and restores the embedded database by the commands beside a running server', async () => {
  const product = await startProduct({ RAPPORT_ROLES: 'web', RAPPORT_DEMO: 'off' });
  undo.push(() => product.close());
  const [from, to] = [product.dataDir, folder()];
  const file = join(folder(), 'backup');
  const command = (name: 'backup' | 'restore', dataDir: string, more: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, [join(import.meta.dirname, `${name}Command.ts`), file], {
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        RAPPORT_DATA_DIR: dataDir,
        RAPPORT_SECRET_KEY: SECRET_KEY,
        ...more,
      },
    });
  const written = await command('backup', from);
  expect(written.stdout).toMatch(/^Wrote \d+ rows of \d+ tables/);
  expect(written.stdout).toContain('secret.key');
  await expect(command('restore', to, { RAPPORT_SECRET_KEY: `another ${SECRET_KEY}` })).rejects.toThrow(
    'The backup was changed after it was written, or was written under another secret key.',
  );
  const restored = await command('restore', to);
  expect(restored.stdout).toMatch(/^Restored \d+ rows of \d+ tables/);
  expect(/\d+ rows/.exec(restored.stdout)?.[0]).toBe(/\d+ rows/.exec(written.stdout)?.[0]);
  await expect(command('restore', from)).rejects.toThrow('is in use by process');
});
