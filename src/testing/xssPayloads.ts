/**
 * XSS payloads: texts that a page might interpret as markup, and a function that writes them into every stored text.
 */
import type pg from 'pg';

/** All payloads at once, so that each field gets each: elements, closing tags and attributes, executable URLs. */
export const XSS_PAYLOAD = [
  '<pwned-mark data-pwned=1>x</pwned-mark>',
  '"><img src=/pwned.png data-pwned=2 onerror="pwned(2)">',
  '\'><svg data-pwned=3 onload="pwned(3)"></svg>',
  '</textarea></script></title></style><script data-pwned=4>pwned(4)</script>',
  '<iframe data-pwned=5 srcdoc="<script>parent.pwned(5)</script>"></iframe>',
  '<a data-pwned=6 href="javascript:pwned(6)">here</a>',
  '<details open data-pwned=7 ontoggle="pwned(7)">',
  '<style data-pwned=8>@import "/pwned.css"</style>',
  '<math><mi data-pwned=9 xlink:href="data:x,<script>pwned(9)</script>">',
  '![x](/pwned-10.png) [y](javascript:pwned(10))',
  '{{constructor.constructor("pwned(11)")()}}',
].join(' ');

/** An executable URL, for fields shown as a link. */
const XSS_URL = 'javascript:window.pwned("link")//<img data-pwned=12 src=x>';

/** Columns whose format the program relies on; input validation rejects any other format. */
const FORMATTED_COLUMNS =
  /(^|_)(hash|sealed|mask|secret|key|login|role|state|status|vendor|model_vendor|timezone|type|host|topic|version|place|kind|purpose|stage|side|author|origin|flow|address|vendor_ref|ext_id|chat_id|action|noun|by|window|model_name|redirect_uri|client_id)$/;
const SKIPPED_TABLES = [
  'migrations',
  'installation',
  'nodes',
  'rate_limits',
  'sessions',
  'operators',
  'operator_passkeys',
  'login_failures',
  'amocrm_states',
  'amocrm_accounts',
  'inbox',
  'crm_changes',
];

/**
 * Write the payload into every text of every row, bypassing validation, as an old version or another program may have
 * done.
 * @returns the columns that accepted it, as `leads.name`
 */
export async function writeXssPayloads(pool: pg.Pool): Promise<string[]> {
  const { rows: columns } = await pool.query<{ table: string; column: string; type: string }>(
    `select c.relname as "table", a.attname as "column", format_type(a.atttypid, null) as type
       from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
        and format_type(a.atttypid, null) in ('text', 'jsonb') and not (c.relname = any($1)) order by 1, 2`,
    [SKIPPED_TABLES],
  );
  const changedColumns: string[] = [];
  // The audit log refuses changes; an old version may have written such texts into it all the same.
  await pool.query('alter table audit disable trigger append_only');
  for (const { table, column, type } of columns) {
    if (FORMATTED_COLUMNS.test(column)) continue;
    const value = type === 'jsonb' ? JSON_VALUES[column] : column.endsWith('url') ? XSS_URL : XSS_PAYLOAD;
    if (value === undefined) continue;
    const id = `t.ctid::text`;
    const set = type === 'jsonb' ? '$1::jsonb' : `$1 || ' ' || ${id}`;
    try {
      // Null columns stay null, except `no_answer_detail` and `media_url`.
      const where = column === 'no_answer_detail' || column === 'media_url' ? '' : ` where ${column} is not null`;
      await pool.query(`update ${table} t set ${column} = ${set}${where}`, [
        type === 'jsonb' ? JSON.stringify(value) : value,
      ]);
      changedColumns.push(`${table}.${column}`);
    } catch {
      // The database itself rejects the value: a list of words, a reference, a format.
    }
  }
  await pool.query('alter table audit enable trigger append_only');
  return changedColumns;
}

/** JSON columns with free texts. */
const JSON_VALUES: Readonly<Record<string, unknown>> = {
  crm_fields: { [XSS_PAYLOAD]: XSS_PAYLOAD, list: [XSS_PAYLOAD, XSS_URL] },
  event_data: { by: XSS_PAYLOAD, from: 'initial', to: 'ongoing', reason: XSS_PAYLOAD },
  document: { text_data: XSS_PAYLOAD },
  result: { stage: 'ongoing', reason: XSS_PAYLOAD },
  before: { name: XSS_PAYLOAD },
  after: { name: XSS_PAYLOAD },
};
