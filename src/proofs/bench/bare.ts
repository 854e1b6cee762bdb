/**
 * The baseline: node:http and pg with plain prepared statements and default types only. It has no session, scope,
 * validation or total, and for the hook no deduplication and no queue. Runs as a process of its own.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import { z } from 'zod';
import { ingest } from './bareIngest.ts';

const env = z.object({ DATABASE_URL: z.string(), PORT: z.coerce.number() }).parse(process.env);
// The same number of connections as the product's own pool.
const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 16 });

const LIST = {
  name: 'list',
  text: `select id, product_id, name, crm_id, crm_fields, created_at, updated_at, recognized_deactivation_request, timezone, status, stage, is_active, crm_pending, revision as version
           from leads where product_id = $1 order by id desc limit $2 offset $3`,
};

async function list(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { searchParams } = new URL(request.url ?? '/', 'http://bare');
  const limit = Number(searchParams.get('limit'));
  const page = Number(searchParams.get('page') ?? 1);
  const { rows } = await pool.query({
    ...LIST,
    values: [Number(searchParams.get('product_id')), limit, (page - 1) * limit],
  });
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ items: rows, page, limit }));
}

createServer((request, response) => {
  const work = request.method === 'POST' ? ingest(pool, request, response) : list(request, response);
  work.catch((error: unknown) => {
    response.statusCode = 500;
    response.end(String(error));
  });
}).listen(env.PORT, '127.0.0.1');
