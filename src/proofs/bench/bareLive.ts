/**
 * The baseline of the live stream: node:http and one connection that listens to the same notifications. It reads the
 * row by id, serializes it once and sends it to every client, without session, scope or batching. Runs as a process of
 * its own.
 */
import { createServer, type ServerResponse } from 'node:http';
import pg from 'pg';
import { z } from 'zod';
import { LIVE_CHANNEL } from '../../platform/notifications.ts';

const env = z.object({ DATABASE_URL: z.string(), PORT: z.coerce.number() }).parse(process.env);
const notice = z.object({ ids: z.array(z.int()) });

const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 2 });
const listeners = new Set<ServerResponse>();

const client = new pg.Client({ connectionString: env.DATABASE_URL });
client.on('notification', ({ payload }) => void broadcast(payload ?? ''));
await client.connect();
await client.query(`listen ${pg.escapeIdentifier(LIVE_CHANNEL)}`);

async function broadcast(payload: string): Promise<void> {
  const { ids } = notice.parse(JSON.parse(payload));
  const { rows } = await pool.query<{ id: string }>({
    name: 'row',
    text: 'select * from messages where id = any($1)',
    values: [ids],
  });
  for (const row of rows) {
    const text = `data: ${JSON.stringify({ type: 'message', message: { ...row, id: Number(row.id) } })}\n\n`;
    for (const one of listeners) one.write(text);
  }
}

createServer((request, response) => {
  if (!request.url?.startsWith('/v1/live')) {
    response.end('{}');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('retry: 1000\n\n');
  listeners.add(response);
  response.on('close', () => listeners.delete(response));
}).listen(env.PORT, '127.0.0.1');
