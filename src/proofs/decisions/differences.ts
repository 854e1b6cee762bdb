/** Finds what both engines made of the same facts differently, and names why. */
import type { State } from './engines.ts';
import { type Case, INSTANTS, type Row } from './facts.ts';

export interface Difference {
  readonly number: number;
  /** Why they differ, or what differs if it is not known. */
  readonly cause: string;
  readonly isExplained: boolean;
  readonly example: string;
}

interface Explanation {
  readonly kinds: readonly string[];
  readonly where: RegExp;
  readonly why: string;
  /** Whether it holds in a case, for these values; always if left out. */
  readonly holds?: (one: Case, before: unknown, after: unknown) => boolean;
}

const laterBy = (before: unknown, after: unknown): number => Date.parse(String(after)) - Date.parse(String(before));

const EXPLANATIONS: readonly Explanation[] = [
  {
    kinds: ['inbound', 'reports', 'send', 'reply', 'plan', 'first'],
    where: /^messages\.reason: \S+ "The lead asked to be left alone" → "The lead opted out"/,
    why: 'The sentence was reworded; its code is the same.',
  },
  {
    kinds: ['inbound', 'reports', 'send', 'first'],
    where: /^inbox\.(attempts: \d+ 0|retry_at: \d+ null) → /,
    why: 'A report without a message is looked at again in a moment; 1.0.0 held a lock instead (decision 0034).',
  },
  {
    kinds: ['inbound'],
    where: /^messages\.reason: \S+ "The lead wrote again" → "The lead opted out"/,
    why: 'The messages of a burst are decided together: what an earlier one would cancel as well names the opt-out (decision 0034).',
  },
  {
    kinds: ['inbound'],
    where:
      /^((leads|contacts|dialogues|messages|outreach|lead_events) only in |inbox\.note|leads\.(is_active|recogn|stage)|dialogues\.|messages\.(status|reason))/,
    why: 'Of the messages of one unknown chat that are received together, one says whose chat it is for all; 1.0.0 made a new lead of those without an address.',
    holds: namesStranger,
  },
  {
    kinds: ['inbound'],
    where: /^dialogues\.no_answer: (\d+|new) null → "(opted_out|inactive|product_off|unreadable)"/,
    why: 'A lead who writes and whom the bot may not answer is shown to people, with the reason.',
  },
  {
    kinds: ['inbound'],
    where: /^lead_events only in new: .*"event_type":"deactivated"/,
    why: 'An opt-out is an event of the lead: outcomes count it.',
  },
  {
    kinds: ['inbound'],
    where: /^dialogues\.last_message/,
    why: 'Echoes that have waited for their send are taken in the order of the vendor, not of their arrival.',
    holds: (one) =>
      itemsOf(one)
        .flat()
        .filter(({ status }) => status === 'sent').length > 1,
  },
  {
    kinds: ['reports'],
    where:
      /^(channels\.(paused_until|pause_reason|first_messages_stopped_\w+)|outreach(_products)?\.next_at|messages\.recipient_not_found): /,
    why: 'Reports that arrive together have no order: an error beside a delivery of the same message does not pause its channel, nor plan anew, nor say that nobody is there (decision 0034).',
    holds: hasErrorBesideDelivery,
  },
  {
    kinds: ['reports', 'send'],
    where: /^messages\.(sent_at|sent_confirmation_at|read_at)/,
    why: 'Of reports that arrive together, the earliest times count, not those of the first in line (decision 0034).',
    holds: (_one, before, after) => laterBy(before, after) < 0,
  },
  {
    kinds: ['reports', 'send'],
    where: /^messages\.(sent_at|sent_confirmation_at|read_at)/,
    why: 'Of reports that arrive together, a time that the vendor names counts, not when we received one without a time (decision 0034).',
    holds: (one, before) =>
      itemsOf(one)
        .flat()
        .some(
          ({ received_at: at, item }) =>
            (item as { occurredAt: string | null }).occurredAt === null && laterBy(at, before) === 0,
        ),
  },
  {
    kinds: ['send', 'first'],
    where:
      /^messages\.reason: \S+ null → "(The channel is|The key was refused|It was refused|The vendor could not send|ChatPush takes)/,
    why: 'Every message that waits for its channel says so, not only the first of its dialogue.',
  },
  {
    kinds: ['send', 'first'],
    where: /^messages\.status_due_at: \S+ null → "/,
    why: 'A report that waited for its message is applied after the send is settled; the poll that it makes needless is dropped when it falls due, without a call.',
  },
  {
    kinds: ['send'],
    where:
      /^(messages\.(status|reason|ext_id|sent_at|attempts|retry_count|unconfirmed_at|error_code)|dialogues\.last_bot_msg_id)/,
    why: 'A report that waited for its message, and pauses the channel, is applied after the send is settled: the next message of the dialogue may be checked before.',
    holds: awaitsSend,
  },
  {
    kinds: ['first'],
    where: /^channels\.first_messages_stopped_(at|reason): \d+ null → /,
    why: 'Channels are checked for acknowledgements before the leads of a queue are looked at; 1.0.0 checked a channel once it was about to send.',
  },
  {
    kinds: ['send', 'first'],
    where: /^outreach\.next_at: \d+ null → "/,
    why: 'The lead of every message that was settled is evaluated at once, also if its plan stays as it was.',
    holds: (_one, _before, after) => INSTANTS.includes(Date.parse(String(after))),
  },
  {
    kinds: ['send', 'first'],
    where: /^outreach_products\.next_at: \d+ ".*" → null/,
    why: 'The outcome of a send does not wake a queue in which nobody waits.',
  },
  {
    kinds: ['first', 'plan'],
    where:
      /^outreach\.reason: \S+ \{"code":"text","reason":"The variable .* → \{"code":"text","reason":"The message is not/,
    why: 'The sentence was reworded; its code is the same.',
  },
  {
    kinds: ['first'],
    where:
      /^(outreach|outreach_products|leads|messages)\.|^(dialogues|messages|first_messages|first_message_quota|lead_events) only in new/,
    why: 'First messages without an interval are claimed together: a refusal of the channel holds up those that come after them, not those claimed with the refused one (decision 0034).',
    holds: ({ outcomes: [outcome] }) => outcome?.kind === 'rejected' && outcome.about === 'channel',
  },
  {
    kinds: ['plan'],
    where: /^outreach\.claimed_by: \d+ null → "key"/,
    why: 'A lead is claimed by the evaluation that finds something due; the job of 1.0.0 claimed it later (decision 0034).',
  },
  {
    kinds: ['plan'],
    where: /^outreach\.next_at/,
    why: 'A claim holds a lead for which something is due; 1.0.0 put it off for five minutes instead.',
    holds: (_one, before, after) => laterBy(before, after) === -300_000,
  },
  {
    kinds: ['plan'],
    where: /^outreach\.next_at/,
    why: 'A lead for which nothing could be done is looked at again five minutes after that, not after its evaluation.',
    holds: (_one, before, after) => laterBy(before, after) === 1,
  },
  {
    kinds: ['reports'],
    where: /^outreach\.next_at: \d+ null → "/,
    why: 'A report that a message has arrived after all evaluates its lead: it may be the answer that was owed (decision 0005).',
    holds: (_one, _before, after) => INSTANTS.includes(Date.parse(String(after))),
  },
  {
    kinds: ['plan', 'first'],
    where:
      /^outreach\.reason: \S+ (null|\{"code":"(send_at|hours|step_hours)".*) → \{.*"code":"(send_at|send_at_closed|hours|no_hours|step_hours)"/,
    why: 'A reason names the clock that decided, and working hours count for the whole time until a message (decision 0005).',
  },
  {
    kinds: ['plan', 'send', 'first'],
    where:
      /^messages\.reason: \S+ "(Outside working hours|First messages start .*)" → "(Outside working hours: |Send at )/,
    why: 'A reason names the clock that decided, and working hours count for the whole time until a message (decision 0005).',
  },
  {
    kinds: ['plan', 'first'],
    where: /^(outreach\.(next_\w+|queue_type|queued_at)|outreach_products\.next_at): /,
    why: "A day's first messages begin at that day's Send at; where that is after working hours, none is ever due (decision 0006).",
    holds: (one, before, after) =>
      hasInitialLead(one) && (before === null || after === null || laterBy(before, after) > 0),
  },
  {
    kinds: ['first'],
    where:
      /^((first_messages|first_message_quota|dialogues|messages|lead_events) only in old|leads\.(stage|updated_at)|outreach(_products)?\.|vendor_accounts\.|messages\.)/,
    why: "A day's first messages begin at that day's Send at; where that is after working hours, none is ever due (decision 0006).",
    holds: isBeforeSendAt,
  },
  {
    kinds: ['send', 'first'],
    where:
      /^messages\.(reason: \S+ .* → "(There are already messages|Outside working hours: |Send at |The schedule has no)|status: \S+ "scheduled" → "cancelled"|(scheduled_at|originally_scheduled_at|retry_at|error_code): )/,
    why: 'A first message that is sent again ends where there is a conversation, and waits for the Send at of its day (decision 0006).',
    holds: hasFirstMessage,
  },
  {
    kinds: ['first'],
    where: /^messages\.(scheduled_at|originally_scheduled_at): /,
    why: "A first message that is sent again waits for its day's Send at (decision 0006).",
    holds: (one, before, after) => hasFirstMessage(one) && (before === null || laterBy(before, after) > 0),
  },
  {
    kinds: ['plan'],
    where:
      /^(outreach\.(next_\w+|reason|claimed_by)|leads\.(stage: \S+ "ignore"|updated_at)|lead_events only in (old|new): .* of silence|dialogues\.\w+|messages only in new|messages\.(status: \S+ "cancelled"|reason: \S+ "The lead is in stage ignore"))/,
    why: "A lead expires its hours after our answer, and not while an answer is owed; 1.0.0 counted from the lead's last message (decision 0005).",
    holds: expires,
  },
  {
    kinds: ['reply'],
    where:
      /^dialogues\.(no_answer(_detail)?: \d+ ".*" → null|turn_attempts: \d+ 0 → |turn_(retry|failed)_at: \d+ null → )/,
    why: 'A turn that was closed while the model failed is not noted as one without an answer.',
  },
];

function hasInitialLead({ rows }: Case): boolean {
  return (rows['leads'] ?? []).some(({ stage }) => stage === 'initial');
}

function hasFirstMessage({ rows }: Case): boolean {
  return (rows['messages'] ?? []).some(({ origin }) => origin === 'first');
}

/** Whether the product's clock shows a time before its 'Send at'. */
function isBeforeSendAt({ rows, now }: Case): boolean {
  return (rows['products'] ?? []).some(({ timezone, config }) => {
    const sendAt = (config as { messaging_config?: { initial_message_send_at: string } | null }).messaging_config
      ?.initial_message_send_at;
    const style = { timeZone: String(timezone), hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    return sendAt !== undefined && new Intl.DateTimeFormat('en-GB', style).format(now) < sendAt;
  });
}

/** Whether leads of the product expire. */
function expires({ rows }: Case): boolean {
  return (rows['products'] ?? []).some(
    ({ config }) => ((config as { lead_expires_in_hours?: number }).lead_expires_in_hours ?? 0) > 0,
  );
}

/** Whether a report waits for the send that it is about, and says something of the channel. */
function awaitsSend({ rows }: Case): boolean {
  return (rows['inbox'] ?? []).some(({ state, item }) => state === 'parked' && hasCause(item));
}

const hasCause = (item: unknown): boolean => (item as { errorAbout?: string }).errorAbout !== undefined;

const itemsOf = ({ rounds }: Case): Row[][] => rounds.map(({ inbox = [] }) => [...inbox]);

/** Whether messages of a chat that no dialogue has arrive together, one with a known address and one without. */
function namesStranger(one: Case): boolean {
  return itemsOf(one).some((items) => {
    const addresses = items
      .filter(({ status, chat_id: chat }) => status === 'inbound' && String(chat).startsWith('stranger'))
      .map(({ item }) => (item as { address: string | null }).address);
    return addresses.includes(null) && addresses.some((address) => address !== null);
  });
}

/** Whether an error of a message arrives together with its delivery. */
function hasErrorBesideDelivery(one: Case): boolean {
  return itemsOf(one).some((items) =>
    items.some(
      ({ status, ext_id: ext }) =>
        status === 'error' &&
        items.some((other) => other['ext_id'] === ext && /delivered|read/.test(String(other['status']))),
    ),
  );
}

/** Return the values that differ of a case. A row that one engine alone has counts as one. */
export function findDifferences(kind: string, one: Case, [old, today]: readonly [State, State]): Difference[] {
  const rows = old.get(one.number) ?? new Map<string, Row>();
  const others = today.get(one.number) ?? new Map<string, Row>();
  const explain = (where: string, [before, after]: readonly unknown[] = []): Difference => {
    const explanation = EXPLANATIONS.find(
      ({ kinds, where: pattern, holds }) =>
        kinds.includes(kind) && pattern.test(where) && (holds?.(one, before, after) ?? true),
    );
    const cause = explanation?.why ?? where.replace(/: .*/, '');
    const example = `${kind}, case ${one.number}, ${where}`;
    return { number: one.number, cause, isExplained: explanation !== undefined, example };
  };
  const onlyIn = (engine: string, here: ReadonlyMap<string, Row>, there: ReadonlyMap<string, Row>) =>
    [...here].flatMap(([name, row]) =>
      there.has(name) ? [] : [explain(`${name.split(' ')[0]} only in ${engine}: ${JSON.stringify(row)}`)],
    );
  const values = [...rows].flatMap(([name, row]) => {
    const [table, id] = name.split(' ');
    return Object.entries(row).flatMap(([column, value]) => {
      const other = others.get(name)?.[column];
      const [before, after] = [JSON.stringify(value), JSON.stringify(other)];
      if (other === undefined || before === after) return [];
      return [explain(`${table}.${column}: ${id} ${before} → ${after}`, [value, other])];
    });
  });
  return [...values, ...onlyIn('old', rows, others), ...onlyIn('new', others, rows)];
}
