/**
 * The invariants of messages, checked when idle: compares the emulators' journal with the database. The journal is the
 * truth about what reached a phone. The numbers are those of the product's promises: 1 nothing lost, 2 nothing doubled,
 * 3 order, 4 one answer per turn, 5 nothing claimed after the bot was stopped, 6 echoes, 7 statuses only rise, 8 a hook
 * has one effect, 27 the ledger of outcomes equals a recount, 35 nothing unsolicited leaves after an opt-out.
 */
import type pg from 'pg';
import { findLedgerDifferences } from '../outcomes/store/ledger.ts';
import type { ControlClient } from '../sandbox/emulators/control.ts';
import type { Entry, EntryOf } from '../sandbox/emulators/entries.ts';
import { listsOf } from './chatpushHooks.ts';
import {
  checkNothingSentAfterHandOver,
  checkNothingUnsolicitedAfterOptOut,
  loadSilences,
  type Silences,
} from './checkSilence.ts';

export interface InvariantsInput {
  readonly control: ControlClient;
  /** A pool, or one connection with its transaction. */
  readonly pool: pg.Pool | pg.PoolClient;
  /** Convert a real instant to the domain clock, milliseconds; not needed if the clock was never moved. */
  readonly domainOf?: (real: number) => number;
}

interface MessageFacts {
  id: number;
  dialogue_id: number;
  channel_ref: string;
  side: 'user' | 'bot';
  author: string;
  status: string;
  message: string;
  ext_id: string | null;
  send_key: string;
  turn: number | null;
  /** `hand_over`: the one sentence that the lead gets when the bot hands the dialogue over. */
  origin: string | null;
  part_group: string | null;
  debounce_guard: boolean;
  /** Whether it begins a turn: words of the lead, stored less than a day after they were written. */
  is_turn: boolean;
  /** Whether it answers a message of the lead. */
  answers: boolean;
  /** Sent again by an operator, whichever turn it answered. */
  again: boolean;
  /** Milliseconds since 1970. */
  created: number;
  scheduled: number | null;
  claimed: number | null;
}

interface DialogueFacts {
  id: number;
  channel_ref: string;
  chat_id: string | null;
  owner: string;
  owner_since: number | null;
  turn: number;
  turn_due: boolean;
  no_answer: string | null;
  lead_active: boolean;
  stage: string;
  product_active: boolean;
}

interface InboxFacts {
  ext_id: string;
  kind: string;
  status: string;
  state: string;
  note: string | null;
}

interface Facts extends Silences {
  journal: Entry[];
  messages: MessageFacts[];
  dialogues: DialogueFacts[];
  inbox: InboxFacts[];
}

/**
 * Return a sentence for every violated invariant, beginning with its number; empty if all hold. Call it when idle
 * (after `world.drain()`), with the domain clock unmoved or its moves known.
 */
export async function brokenInvariants(input: InvariantsInput): Promise<string[]> {
  const facts = await loadFacts(input);
  const { differences } = await findLedgerDifferences(input.pool);
  const ledger = differences.map((one) => `27: the ledger differs from the recount: ${JSON.stringify(one)}`);
  const broken = [
    checkNothingLost,
    checkNoDuplicates,
    checkOrder,
    checkAnswers,
    checkNothingSentAfterHandOver,
    checkNothingUnsolicitedAfterOptOut,
    checkEchoes,
    checkStatuses,
    checkHooks,
  ].flatMap((check) => check(facts));
  return [...broken, ...ledger, ...(await findUnnotedFailures(input))];
}

/** What the rules store of failed messages is what a recount finds: nobody would look for them otherwise. */
async function findUnnotedFailures({ pool }: InvariantsInput): Promise<string[]> {
  const { rows } = await pool.query<{ id: number }>(`
    select d.id from dialogues d left join messages m on m.dialogue_id = d.id and m.side = 'bot' and m.origin is null
           and m.removed_at is null and m.status in ('error', 'unconfirmed')
     group by d.id
    having (d.failed_since is not null) <> (count(*) filter (where m.status = 'error') > 0)
        or (d.unconfirmed_since is not null) <> (count(*) filter (where m.status = 'unconfirmed') > 0)`);
  return rows.map(({ id }) => `28: dialogue ${id} does not say which of its messages have failed`);
}

/** Throw if any invariant is violated, with all violations. */
export async function expectInvariants(input: InvariantsInput): Promise<void> {
  const broken = await brokenInvariants(input);
  if (broken.length > 0) throw new Error(`Broken promises:\n${broken.slice(0, 30).join('\n')}`);
}

async function loadFacts({ control, pool, domainOf = (real) => real }: InvariantsInput): Promise<Facts> {
  const ms = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;
  const journal = await control.entries();
  const messages = await pool.query<MessageFacts>(`
      select m.id::int, m.dialogue_id::int, c.vendor_ref as channel_ref, m.side, m.author, m.status, m.message, m.ext_id,
             m.send_key::text, m.turn, m.origin, m.part_group::text, m.debounce_guard,
             m.reply_on_msg_id is not null as answers,
             m.side = 'user' and m.kind not in ('system', 'missing_call', 'unsupported', 'unknown')
               and m.created_at - m.thread_at < interval '24 hours' as is_turn,
             exists (select 1 from audit a where a.noun = 'message' and a.row_id = m.id and a.action = 'sent again') as again,
             ${ms('m.created_at')} as created,
             ${ms('m.scheduled_at')} as scheduled, ${ms('m.claimed_at')} as claimed
        from messages m join channels c on c.id = m.channel_id order by m.id`);
  const dialogues = await pool.query<DialogueFacts>(`
      select d.id::int, h.vendor_ref as channel_ref, d.chat_id, d.owner, ${ms('d.owner_since')} as owner_since, d.turn,
             d.turn_due_at is not null as turn_due,
             coalesce(d.no_answer, d.quiet_reason, case when d.may_opt_out_since is not null then 'may_opt_out' end) as no_answer, l.is_active as lead_active, l.stage,
             p.is_active as product_active
        from dialogues d join contacts c on c.id = d.contact_id join leads l on l.id = c.lead_id
        join products p on p.id = d.product_id join channels h on h.id = d.channel_id`);
  const inbox = await pool.query<InboxFacts>('select ext_id, kind, status, state, note from inbox');
  return {
    journal,
    // Claims are dated by the real clock, everything else by the domain clock.
    messages: messages.rows.map((one) => ({ ...one, claimed: one.claimed === null ? null : domainOf(one.claimed) })),
    dialogues: dialogues.rows,
    inbox: inbox.rows,
    ...(await loadSilences(pool)),
  };
}

function entriesOf<K extends Entry['kind']>(journal: Entry[], kind: K): EntryOf<K>[] {
  return journal.filter((entry): entry is EntryOf<K> => entry.kind === kind);
}

type Sent = EntryOf<'reached' | 'undeliverable'>;
const sentEntries = ({ journal }: Facts): Sent[] => [
  ...entriesOf(journal, 'reached'),
  ...entriesOf(journal, 'undeliverable'),
];

/** Find the row of a vendor's message: by the vendor's id, else by the key it was sent under. */
function rowOf({ messages }: Facts): (entry: Sent) => MessageFacts | undefined {
  const byExt = new Map(messages.filter((one) => one.ext_id !== null).map((one) => [one.ext_id, one]));
  const byKey = new Map(messages.filter((one) => one.side === 'bot').map((one) => [one.send_key, one]));
  return (entry) => byExt.get(entry.messageId) ?? byKey.get(entry.crmMessageId ?? '');
}

/** Iterate over hooks that were answered with success, each once. */
function* acknowledgedHooks({ journal }: Facts): Generator<Record<string, unknown[]>> {
  const delivered = new Set(
    entriesOf(journal, 'hook_answered')
      .filter((entry) => entry.status === 200)
      .flatMap((entry) => entry.hookIds),
  );
  for (const hook of entriesOf(journal, 'hook_queued')) if (delivered.has(hook.hookId)) yield listsOf(hook.body);
}

/**
 * Return the id under which an inbound message is stored. ChatPush's Telegram message ids are only unique within their
 * chat.
 */
function extIdOf({ vendor, channelId, chatId, messageId }: EntryOf<'inbound' | 'typed'>): string {
  return vendor === 'chatpush' && !channelId.endsWith(':whatsapp') ? `${chatId}/${messageId}` : messageId;
}

const fieldsOf = (item: unknown): Record<string, unknown> =>
  typeof item === 'object' && item !== null ? Object.fromEntries(Object.entries(item)) : {};

/** 1: what the vendor reported is stored; what we accepted has left, or has a status in which an operator sees it. */
function checkNothingLost(facts: Facts): string[] {
  const broken: string[] = [];
  const stored = new Map(facts.messages.filter((one) => one.side === 'user').map((one) => [one.ext_id, one]));
  const inboxItems = new Map(facts.inbox.filter((one) => one.kind === 'message').map((one) => [one.ext_id, one]));
  for (const entry of entriesOf(facts.journal, 'inbound')) {
    const row = stored.get(extIdOf(entry));
    const item = inboxItems.get(extIdOf(entry));
    if (!item) broken.push(`1: "${entry.text}" of ${entry.address} was never taken in`);
    else if (item.state !== 'done') broken.push(`1: "${entry.text}" of ${entry.address} is still ${item.state}`);
    else if (!row && item.note === 'message') broken.push(`1: "${entry.text}" is settled but has no row`);
    else if (row && entry.type === 'text' && row.message !== (entry.text ?? ''))
      broken.push(`1: message ${row.id} says "${row.message}" and not "${entry.text}"`);
  }
  const row = rowOf(facts);
  const arrived = new Set(sentEntries(facts).map((entry) => row(entry)?.id));
  for (const one of facts.messages) {
    if (one.status === 'sending') broken.push(`1: message ${one.id} is in hand for ever`);
    const ours = one.side === 'bot' && ['bot', 'operator'].includes(one.author);
    if (ours && ['sent', 'delivered', 'read'].includes(one.status) && !arrived.has(one.id))
      broken.push(`1: message ${one.id} "${one.message}" counts as ${one.status} and never left`);
  }
  return broken;
}

/** 2: a row is on the phone at most once, and nothing is there without a row. */
function checkNoDuplicates(facts: Facts): string[] {
  const broken: string[] = [];
  const row = rowOf(facts);
  const times = new Map<number, number>();
  for (const entry of sentEntries(facts)) {
    const one = row(entry);
    if (!one) {
      broken.push(`2: "${entry.text}" reached ${entry.to} and no row knows it`);
      continue;
    }
    const count = (times.get(one.id) ?? 0) + 1;
    times.set(one.id, count);
    if (count > 1) broken.push(`2: message ${one.id} "${entry.text}" reached ${entry.to} ${count} times`);
    if (one.status === 'cancelled') broken.push(`2: message ${one.id} reached ${entry.to} and is cancelled`);
  }
  return broken;
}

/** 3: a message that was due before another did not leave after it. */
function checkOrder(facts: Facts): string[] {
  const broken: string[] = [];
  const row = rowOf(facts);
  const sentByDialogue = new Map<number, MessageFacts[]>();
  for (const entry of sentEntries(facts).toSorted((a, b) => a.seq - b.seq)) {
    const one = row(entry);
    if (one) sentByDialogue.set(one.dialogue_id, [...(sentByDialogue.get(one.dialogue_id) ?? []), one]);
  }
  for (const rows of sentByDialogue.values()) {
    for (const [index, later] of rows.entries()) {
      for (const earlier of rows.slice(0, index)) {
        if (later.scheduled === null || earlier.scheduled === null || earlier.claimed === null) continue;
        const wasFirst =
          later.scheduled < earlier.scheduled || (later.scheduled === earlier.scheduled && later.id < earlier.id);
        if (wasFirst && later.created < earlier.claimed)
          broken.push(`3: message ${later.id} was due before ${earlier.id} and left after it`);
      }
    }
  }
  return broken;
}

/** 4: at most one answer per turn, none for a turn that a newer message ended, and every last turn is settled. */
function checkAnswers(facts: Facts): string[] {
  const broken: string[] = [];
  const { messages, dialogues } = facts;
  const row = rowOf(facts);
  const sentIds = new Set(sentEntries(facts).map((entry) => row(entry)?.id));
  for (const dialogue of dialogues) {
    const own = messages.filter((one) => one.dialogue_id === dialogue.id);
    const written = own.filter((one) => one.is_turn);
    const replies = own.filter((one) => one.author === 'bot' && one.turn !== null && !one.again);
    for (const turn of new Set(replies.map((one) => one.turn))) {
      const sent = replies.filter((one) => one.turn === turn && sentIds.has(one.id));
      const [sentences, answers] = [true, false].map((is) => sent.filter((one) => (one.origin === 'hand_over') === is));
      const texts = new Set(answers?.map((one) => one.part_group ?? `single ${one.id}`));
      if (texts.size > 1) broken.push(`4: dialogue ${dialogue.id} got ${texts.size} answers to turn ${turn}`);
      if (sentences && sentences.length > 1)
        broken.push(`4: dialogue ${dialogue.id} was told ${sentences.length} times that turn ${turn} is handed over`);
      // The n-th message of the lead begins turn n.
      const ended = written[turn ?? 0];
      for (const one of sent)
        if (ended && one.debounce_guard && one.claimed !== null && one.claimed > ended.created)
          broken.push(`4: message ${one.id} was claimed for turn ${turn} after message ${ended.id} had ended it`);
    }
    if (dialogue.turn_due) broken.push(`4: the turn of dialogue ${dialogue.id} is still due`);
    const last = written.at(-1);
    const mayAnswer =
      dialogue.owner === 'bot' &&
      dialogue.lead_active &&
      dialogue.product_active &&
      !['refused', 'ignore', 'failed', 'success'].includes(dialogue.stage);
    if (!last || !mayAnswer || dialogue.no_answer !== null) continue;
    const answered = own.some(
      (one) => one.side === 'bot' && (one.turn === dialogue.turn || one.created > last.created),
    );
    if (!answered) broken.push(`4: dialogue ${dialogue.id}: "${last.message}" was never answered`);
  }
  return broken;
}

/**
 * 6: our own echo is not a human; what a human wrote outside this system is stored as theirs and takes the dialogue
 * over.
 */
function checkEchoes(facts: Facts): string[] {
  const broken: string[] = [];
  const ours = new Set(sentEntries(facts).map((entry) => entry.messageId));
  for (const one of facts.messages)
    if (one.author === 'phone' && one.ext_id !== null && ours.has(one.ext_id))
      broken.push(`6: message ${one.id} is our own echo and counts as a human`);
  const byExt = new Map(facts.messages.map((one) => [one.ext_id, one]));
  const reportedIds = new Set<unknown>();
  for (const body of acknowledgedHooks(facts))
    for (const item of body['messages'] ?? []) reportedIds.add(fieldsOf(item)['messageId']);
  for (const entry of entriesOf(facts.journal, 'typed')) {
    if (!reportedIds.has(extIdOf(entry))) continue;
    const dialogue = facts.dialogues.find((one) => one.channel_ref === entry.channelId && one.chat_id === entry.chatId);
    if (!dialogue) continue;
    if (byExt.get(extIdOf(entry))?.author !== 'phone')
      broken.push(`6: "${entry.text}", typed at the phone, is not in dialogue ${dialogue.id}`);
    if (dialogue.owner === 'bot' && dialogue.owner_since === null)
      broken.push(`6: a human typed in dialogue ${dialogue.id} and the bot still owns it`);
  }
  return broken;
}

const RANK: Readonly<Record<string, number>> = { sent: 1, delivered: 2, read: 3 };

/** 7: a message has exactly the highest status the vendor reported. */
function checkStatuses(facts: Facts): string[] {
  const broken: string[] = [];
  const reported = new Map<unknown, Set<unknown>>();
  for (const body of acknowledgedHooks(facts)) {
    for (const raw of [...(body['statuses'] ?? []), ...(body['messages'] ?? [])]) {
      const item = fieldsOf(raw);
      reported.set(item['messageId'], (reported.get(item['messageId']) ?? new Set()).add(item['status']));
    }
  }
  for (const { messageId, status } of entriesOf(facts.journal, 'fate_told'))
    reported.set(messageId, (reported.get(messageId) ?? new Set()).add(status));
  for (const one of facts.messages) {
    if (one.ext_id === null || one.side !== 'bot' || one.author === 'phone') continue;
    const vendorStatuses = reported.get(one.ext_id) ?? new Set();
    const highest = ['read', 'delivered', 'sent'].find((status) => vendorStatuses.has(status));
    const expected = vendorStatuses.has('error') && (RANK[highest ?? ''] ?? 0) < 2 ? 'error' : (highest ?? 'sent');
    if (one.status !== expected)
      broken.push(
        `7: message ${one.id} is ${one.status}; the vendor told ${[...vendorStatuses].join(', ') || 'nothing'}`,
      );
  }
  const knownExtIds = new Set(facts.messages.map((one) => one.ext_id));
  for (const item of facts.inbox)
    if (item.state === 'parked' && knownExtIds.has(item.ext_id))
      broken.push(
        `7: ${item.kind} ${item.status} of ${item.ext_id} is kept although its message is known (${item.note ?? ''})`,
      );
  return broken;
}

/** 8: what was answered with 200 is stored; what is stored happened, once. */
function checkHooks(facts: Facts): string[] {
  const broken: string[] = [];
  const stored = new Set(facts.inbox.map((one) => `${one.kind} ${one.ext_id} ${one.status}`));
  const messages = new Set(facts.inbox.filter((one) => one.kind === 'message').map((one) => one.ext_id));
  for (const body of acknowledgedHooks(facts)) {
    for (const raw of body['statuses'] ?? []) {
      const item = fieldsOf(raw);
      if (!stored.has(`status ${String(item['messageId'])} ${String(item['status'])}`))
        broken.push(`8: status ${String(item['status'])} of ${String(item['messageId'])} got 200 and is not stored`);
    }
    for (const raw of body['messages'] ?? []) {
      const item = fieldsOf(raw);
      if (item['isEdited'] === true || item['isDeleted'] === true) continue;
      if (!messages.has(String(item['messageId'])))
        broken.push(`8: message ${String(item['messageId'])} got 200 and is not stored`);
    }
  }
  const happened = new Set(entriesOf(facts.journal, 'inbound').map(extIdOf));
  const seen = new Set<string>();
  for (const one of facts.messages.filter((message) => message.side === 'user')) {
    if (one.ext_id === null || !happened.has(one.ext_id)) broken.push(`8: message ${one.id} was never written`);
    const key = `${one.channel_ref} ${one.ext_id ?? ''}`;
    if (seen.has(key)) broken.push(`8: "${one.message}" is stored twice`);
    seen.add(key);
  }
  return broken;
}
