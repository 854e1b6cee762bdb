/** The history of a message that broke a guarantee: its row, and its entries in the journal of the phones. */
import type { InvariantsInput } from '../../testing/invariants.ts';

interface Row {
  readonly row: Record<string, unknown>;
  readonly ext_id: string | null;
  readonly send_key: string;
  readonly address: string;
}

/** Return lines about every message that the sentence names by id (`message 12`). */
export async function messageHistory({ pool, control }: InvariantsInput, sentence: string): Promise<string[]> {
  const ids = [...sentence.matchAll(/\bmessage (\d+)|\bbefore (\d+)\b/g)].map((found) => Number(found[1] ?? found[2]));
  if (ids.length === 0) return [];
  const { rows } = await pool.query<Row>(
    `select to_jsonb(m) - 'rendered_prompt' as row, m.ext_id, m.send_key::text, c.address
       from messages m join contacts c on c.id = m.contact_id where m.id = any($1::bigint[]) order by m.id`,
    [ids],
  );
  const journal = await control.entries();
  const lines: string[] = [];
  for (const { row, ext_id, send_key, address } of rows) {
    lines.push(`row of ${address}: ${JSON.stringify(row)}`);
    for (const entry of journal) {
      const matches =
        ('messageId' in entry && entry.messageId === ext_id) ||
        ('crmMessageId' in entry && entry.crmMessageId === send_key) ||
        (entry.kind === 'hook_queued' && ext_id !== null && JSON.stringify(entry.body).includes(ext_id));
      if (matches) lines.push(`journal: ${JSON.stringify(entry)}`);
    }
  }
  return lines;
}
