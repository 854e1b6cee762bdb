/** Baseline of hook ingest: four round trips, without deduplication and queue. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type pg from 'pg';

/** Tables that the baseline writes to. */
export const TABLES = `
  create table bare_messages (id bigint generated always as identity primary key, ext_id text not null, chat_id bigint not null,
                              body text not null, sent_at timestamptz not null);
  create table bare_chats (id bigint primary key, last_at timestamptz, unread int not null default 0);
  insert into bare_chats (id) select n from generate_series(1, 1000) n`;

const INSERT = {
  name: 'insert',
  text: 'insert into bare_messages (ext_id, chat_id, body, sent_at) values ($1, $2, $3, $4)',
};
const UPDATE = { name: 'update', text: 'update bare_chats set last_at = $2, unread = unread + 1 where id = $1' };

interface Hook {
  messages: { messageId: string; chatId: string; text: string; dateTime: string }[];
}

let chat = 0;

export async function ingest(pool: pg.Pool, request: IncomingMessage, response: ServerResponse): Promise<void> {
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
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{"ok":true}');
}
