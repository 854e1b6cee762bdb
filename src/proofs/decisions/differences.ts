/** Finds what both engines made of the same facts differently, and names why. */
import type { State } from './engines.ts';

export interface Difference {
  readonly batch: string;
  /** Why they differ, or what differs if it is not known. */
  readonly cause: string;
  readonly isExplained: boolean;
  readonly example: string;
}

type Row = Readonly<Record<string, unknown>>;

interface Explanation {
  readonly kinds: readonly string[];
  readonly where: RegExp;
  readonly why: string;
}

const EXPLANATIONS: readonly Explanation[] = [
  {
    kinds: ['inbound', 'reports', 'send', 'reply', 'plan', 'first'],
    where: /^messages\.reason: \S+ "The lead asked to be left alone" → "The lead opted out"/,
    why: 'The sentence was reworded; its code is the same.',
  },
  {
    kinds: ['inbound', 'reports', 'send', 'first'],
    where: /^inbox\.(attempts|retry_at)/,
    why: 'A report without a message is looked at again in a moment; 1.0.0 held a lock instead (decision 0034).',
  },
  {
    kinds: ['inbound'],
    where: /^messages\.reason: \S+ "The lead wrote again" → "The lead opted out"/,
    why: 'The messages of a burst are decided together: what an earlier one would cancel as well names the opt-out (decision 0034).',
  },
  {
    kinds: ['reports'],
    where:
      /^(channels\.(paused_until|pause_reason|first_messages_stopped_\w+)|outreach(_products)?\.next_at): \d+ ".*" → null/,
    why: 'Reports that arrive together have no order: an error beside a delivery of the same message does not pause its channel, nor plan anew (decision 0034).',
  },
  {
    kinds: ['reports', 'send'],
    where: /^messages\.(sent_at|sent_confirmation_at|read_at)/,
    why: 'Of reports that arrive together, the earliest times count, not those of the first in line (decision 0034).',
  },
  {
    kinds: ['send', 'first'],
    where: /^messages\.reason: \S+ null → "(The channel is|The key was refused|It was refused|ChatPush takes)/,
    why: 'Every message that waits for its channel says so, not only the first of its dialogue.',
  },
  {
    kinds: ['send', 'first'],
    where: /^outreach_products\.next_at: \d+ ".*" → null/,
    why: 'The outcome of a send does not wake a queue in which nobody waits.',
  },
  {
    kinds: ['inbound'],
    where: /^dialogues\.last_message/,
    why: 'Echoes that have waited for their send are taken in the order of the vendor, not of their arrival.',
  },
  {
    kinds: ['plan'],
    where: /^outreach\.claimed_by: \d+ null → "key"/,
    why: 'A lead is claimed by the evaluation that finds something due; the job of 1.0.0 claimed it later (decision 0034).',
  },
  {
    kinds: ['plan'],
    where: /^outreach\.next_at: \d+ ".*" → ".*"/,
    why: 'A lead for which nothing could be done is looked at again five minutes after that, not after its evaluation.',
  },
  {
    kinds: ['reply'],
    where:
      /^dialogues\.(no_answer(_detail)?: \d+ ".*" → null|turn_attempts: \d+ 0 → |turn_(retry|failed)_at: \d+ null → )/,
    why: 'A turn that was closed while the model failed is not noted as one without an answer.',
  },
];

let batches = 0;

export function findDifferences(kind: string, old: State, today: State): Difference[] {
  batches++;
  const found: Difference[] = [];
  for (const [number, rows] of old) {
    const others = today.get(number) ?? new Map<string, Row>();
    const add = (where: string, detail: string) => {
      const explanation = EXPLANATIONS.find((one) => one.kinds.includes(kind) && one.where.test(`${where}: ${detail}`));
      found.push({
        batch: `${batches} ${number}`,
        cause: explanation?.why ?? where,
        isExplained: explanation !== undefined,
        example: `${kind}, case ${number}, ${where}: ${detail}`,
      });
    };
    for (const [name, row] of rows) {
      const other = others.get(name);
      const [table = '', id = ''] = name.split(' ');
      if (!other) add(`${table} only in old`, JSON.stringify(row));
      else
        for (const [column, value] of Object.entries(row))
          if (column in other && JSON.stringify(value) !== JSON.stringify(other[column]))
            add(`${table}.${column}`, `${id} ${JSON.stringify(value)} → ${JSON.stringify(other[column])}`);
    }
    for (const [name, row] of others)
      if (!rows.has(name)) add(`${name.split(' ')[0]} only in new`, JSON.stringify(row));
  }
  return found;
}
