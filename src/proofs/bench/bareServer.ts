/**
 * The baseline: node:http and pg with our lists' plain statements, prepared by name, and default types. It has no
 * session, scope and validation. A hook takes four round trips, without deduplication and queue. Runs as a process of
 * its own.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import { z } from 'zod';

const env = z.object({ DATABASE_URL: z.string(), PORT: z.coerce.number() }).parse(process.env);
// Twice the connections of the product's own pool.
const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 16 });

const LEADS = {
  columns: `t.id, t.product_id, t.name, t.crm_id, t.crm_fields, t.created_at, t.updated_at,
            t.recognized_deactivation_request, t.timezone, t.status, t.stage, t.is_active, t.crm_pending, t.revision as version,
            to_jsonb(t.tags) as tags, t.owner_id, (select o.login from operators o where o.id = t.owner_id) as owner,
            t.import_id, (select i.name from lead_imports i where i.id = t.import_id) as import_name`,
  from: 'leads t',
  where: 'true',
  search: 't.name',
};

const MESSAGES = {
  columns: `t.id, t.product_id, t.contact_id, t.dialogue_id,
            (select l.name from contacts c join leads l on l.id = c.lead_id where c.id = t.contact_id) as lead_name,
            t.message, t.side, t.author, t.operator, t.status, t.status in ('sent', 'delivered', 'read') as sent,
            t.status = 'error' as is_failed, t.reason, t.error_code, t.created_at, t.thread_at, t.scheduled_at, t.sent_at,
            t.sent_confirmation_at, t.read_at, t.retry_count, t.ext_id, t.client_key, t.prompt_id, t.prompt_name,
            t.prompt_version, t.model_vendor, t.model_name, t.prepared_message_id, t.ping_config_id, t.ping_step_number,
            t.reply_on_msg_id, t.rendered_prompt, t.kind, t.media_url`,
  from: 'messages t',
  where: 't.removed_at is null',
  search: 't.message',
};

/** Conditions that filter a list, in the order of the parameters. */
const CONDITIONS: Readonly<Record<string, (place: string, search: string) => string>> = {
  product_id: (place) => `t.product_id = ${place}`,
  company_id: (place) => `t.product_id in (select id from products where company_id = ${place})`,
  side: (place) => `t.side = ${place}`,
  status: (place) => `t.status = ${place}`,
  stage: (place) => `t.stage = ${place}`,
  search: (place, search) => `${search} ilike ${place}`,
  created_from: (place) => `t.created_at >= ${place}::date`,
};

interface Statement {
  readonly name: string;
  readonly text: string;
}

const statements = new Map<string, Statement>();

function statementOf(list: typeof LEADS, filterNames: readonly string[], isCounted: boolean): Statement {
  const key = `${list.from} ${filterNames.join(' ')} ${isCounted}`;
  const cached = statements.get(key);
  if (cached) return cached;
  const conditions = filterNames.map((name, index) => CONDITIONS[name]?.(`$${index + 1}`, list.search) ?? 'true');
  const where = [list.where, ...conditions].join(' and ');
  const total = isCounted ? `, (select count(*) from ${list.from} where ${where}) as total` : '';
  const statement = {
    name: `list ${statements.size}`,
    text: `select ${list.columns}${total} from ${list.from} where ${where}
            order by t.id desc limit $${filterNames.length + 1} offset $${filterNames.length + 2}`,
  };
  statements.set(key, statement);
  return statement;
}

function answerJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readList({ pathname, searchParams }: URL, response: ServerResponse): Promise<void> {
  const filterNames = Object.keys(CONDITIONS).filter((name) => searchParams.has(name));
  const limit = Number(searchParams.get('limit'));
  const page = Number(searchParams.get('page') ?? 1);
  const values = filterNames.map((name) =>
    name === 'search' ? `%${searchParams.get(name) ?? ''}%` : searchParams.get(name),
  );
  const list = pathname === '/v1/messages/' ? MESSAGES : LEADS;
  const statement = statementOf(list, filterNames, searchParams.get('with_total') !== 'false');
  const { rows } = await pool.query({ ...statement, values: [...values, limit, (page - 1) * limit] });
  answerJson(response, { items: rows, page, limit });
}

/** Answer `/v1/messages/17`. */
async function readMessage({ pathname }: URL, response: ServerResponse): Promise<void> {
  const { rows } = await pool.query({
    name: 'one',
    text: `select ${MESSAGES.columns} from ${MESSAGES.from} where ${MESSAGES.where} and t.id = $1`,
    values: [pathname.split('/').at(-1)],
  });
  answerJson(response, rows[0]);
}

const INSERT = {
  name: 'insert',
  text: 'insert into bare_messages (ext_id, chat_id, body, sent_at) values ($1, $2, $3, $4)',
};
const UPDATE = { name: 'update', text: 'update bare_chats set last_at = $2, unread = unread + 1 where id = $1' };

interface Hook {
  messages: { messageId: string; chatId: string; text: string; dateTime: string }[];
}

let chat = 0;

async function ingest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += chunk;
  const hook: Hook = JSON.parse(text);
  const client = await pool.connect();
  try {
    await client.query('begin');
    for (const one of hook.messages) {
      const id = (chat++ % 1000) + 1;
      await client.query({ ...INSERT, values: [one.messageId, id, one.text, one.dateTime] });
      await client.query({ ...UPDATE, values: [id, one.dateTime] });
    }
    await client.query('commit');
  } finally {
    client.release();
  }
  answerJson(response, { ok: true });
}

createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://bare');
  const answer = (): Promise<void> => {
    if (request.method === 'POST') return ingest(request, response);
    return /\d$/.test(url.pathname) ? readMessage(url, response) : readList(url, response);
  };
  answer().catch((error: unknown) => {
    response.statusCode = 500;
    response.end(String(error));
  });
}).listen(env.PORT, '127.0.0.1');
