/** Random facts for deciders. Each case is a company of its own; what is awkward is frequent. */
import type { HookItem, RefusalAbout, SendOutcome } from '../../channels/driver.ts';
import type { GeneratedText } from '../../conversations/runPrompt.ts';
import type { Random } from '../../sandbox/random.ts';

export type Row = Readonly<Record<string, unknown>>;
/** Rows by table. */
export type Rows = Readonly<Record<string, readonly Row[]>>;

export interface Case {
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly rows: Rows;
  /** Rows that arrive one after another; both engines process them in between. */
  readonly rounds: readonly Rows[];
  /** What the vendor answers to each send. */
  readonly outcomes: readonly SendOutcome[];
  /** What the model writes, and SQL that changes the facts while it does. */
  readonly text: GeneratedText;
  readonly meanwhile: string | null;
  /** How many decisions it asks for. */
  readonly decisions: number;
}

export interface Setting {
  readonly number: number;
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Instants at which working hours, days and changes of the clocks begin and end in the zones below. */
const EDGES =
  '2026-03-29T01:00 2026-04-04T15:00 2026-10-25T00:30 2026-10-25T01:00 2026-11-01T06:00 2026-11-22T23:00 2026-11-23T08:00 2026-11-23T09:30 2026-11-23T17:00';
export const INSTANTS = EDGES.split(' ').flatMap((edge) => [Date.parse(`${edge}Z`) - 1, Date.parse(`${edge}Z`)]);
export const ZONES = ['Europe/Berlin', 'UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
const STAGES = ['initial', 'started', 'started', 'ongoing', 'ongoing', 'pending', 'refused', 'ignore', 'success'];
const ABOUT = ['message', 'recipient', 'channel', 'account', 'passing'] as const satisfies readonly RefusalAbout[];
const HOUR = 3_600_000;
/** Offsets from now in milliseconds: ties, edges, past and future. */
const OFFSETS = [0, 0, 1, -1, -1000, 1000, -HOUR, HOUR, -24 * HOUR, -24 * HOUR - 1, -24 * HOUR + 1, -90 * 24 * HOUR];
export const ANOTHER_INSTANCE = '00000000-0000-4000-8000-000000000001';
/** Ids of a case's rows start at its number times this. */
export const IDS_OF_CASE = 1000;

export const range = (length: number): number[] => Array.from({ length }, (_none, index) => index);
export const addressOf = (id: number): string => `7${String(id).padStart(10, '0')}`;
/** A key that is the same for both engines. */
export const keyOf = (id: number): string => `00000000-0000-0000-0000-${String(id).padStart(12, '0')}`;

export const ANSWER = {
  kind: 'written',
  text: 'What colour is it to be?',
  model: { vendor: 'chatgpt', name: 'a model' },
} as const satisfies GeneratedText;

type ItemFields = Partial<Omit<HookItem, 'occurredAt'>> & { readonly occurredAt?: string | null };

/** Makes the rows of a case. What a company has once has the id `product`; leads are counted up from it. */
export class CaseMaker {
  readonly rows: Record<string, Row[]> = {};
  readonly random: Random;
  readonly now: number;
  readonly product: number;

  constructor({ number, random, now }: Setting) {
    [this.product, this.random, this.now] = [number * IDS_OF_CASE, random, now];
  }

  add(table: string, ...rows: readonly Row[]): void {
    (this.rows[table] ??= []).push(...rows);
  }

  finish(more: Partial<Case>): Case {
    const nothing = { rounds: [], outcomes: [], text: ANSWER, meanwhile: null, decisions: 1 };
    return { number: this.product / IDS_OF_CASE, now: this.now, rows: this.rows, ...nothing, ...more };
  }

  /** Return one of some durations ago. */
  ago(...ms: readonly number[]): string {
    return new Date(this.now - this.random.pick(ms)).toISOString();
  }

  sometime(): string {
    return this.ago(...OFFSETS);
  }

  /** Return a time that is not after now. */
  before(): string {
    return this.ago(...OFFSETS.map(Math.abs));
  }

  /** Return columns for a share of the rows, none for the others. */
  sometimes(share: number, columns: Row): Row {
    return this.random.chance(share) ? columns : {};
  }

  /** Add a lead with a contact and its plan; `index` counts the leads of the case. Returns its id. */
  addLead(
    index: number,
    { lead = {}, contact = {}, plan = {} }: { lead?: Row; contact?: Row; plan?: Row } = {},
  ): number {
    const { random, product } = this;
    const id = product + index;
    const isOptedOut = random.chance(0.08);
    this.add('leads', {
      id,
      product_id: product,
      name: 'Anna',
      stage: random.pick(STAGES),
      is_active: isOptedOut ? random.chance(0.2) : !random.chance(0.08),
      recognized_deactivation_request: isOptedOut,
      timezone: random.chance(0.4) ? random.pick(ZONES) : null,
      eligible_since: this.before(),
      created_at: this.before(),
      ...this.sometimes(0.05, { human_owner_reason: 'crm_step', human_owner_detail: 'Won' }),
      ...lead,
    });
    this.add('contacts', {
      id,
      lead_id: id,
      product_id: product,
      contact: addressOf(id),
      address: addressOf(id),
      is_main: true,
      contact_type: this.rows['channels']?.[0]?.['channel_type'],
      created_at: this.before(),
      ...contact,
    });
    this.add('outreach', { lead_id: id, product_id: product, next_at: null, ...plan });
    return id;
  }

  /** Add a lead's dialogue, with the bot or a human. */
  addDialogue(leadId: number, more: Row = {}): void {
    const { random, product } = this;
    const reasons = ['operator', 'phone', 'qualified', 'writes_again', 'crm_step'];
    const of = { product_id: product, contact_id: leadId, channel_id: product, address: addressOf(leadId) };
    const handedOver = { owner: 'human', owner_reason: random.pick(reasons), owner_since: this.before() };
    this.add('dialogues', {
      id: leadId,
      ...of,
      chat_id: random.chance(0.9) ? addressOf(leadId) : null,
      turn: random.integer(0, 3),
      created_at: this.before(),
      ...this.sometimes(0.2, handedOver),
      ...more,
    });
  }

  /** Add a message of a lead's dialogue; its id also orders those of the same instant. */
  addMessage(leadId: number, message: Row & { readonly id: number }): Row {
    const of = { product_id: this.product, contact_id: leadId, dialogue_id: leadId, channel_id: this.product };
    const row = { ...of, message: 'A text', side: 'bot', author: 'bot', send_key: keyOf(message.id), ...message };
    this.add('messages', row);
    return row;
  }

  /** Make what a vendor reported, `index`th of the case. */
  makeItem(index: number, row: Row & { readonly ext_id: string }, item: ItemFields): Row {
    const id = this.product + 101 + index;
    const of = { account_id: this.product, channel_id: this.product, received_at: this.ago(0) };
    const wording = { channelRef: String(this.product), extId: row.ext_id, name: 'Anna', text: '', mediaKind: 'text' };
    const none = { mediaUrl: null, address: null, errorCode: null, errorReason: null, occurredAt: null };
    return { id, ...of, ...row, item: { ...wording, ...none, notPerson: null, isSilent: false, ...item } };
  }

  pickAbout(): RefusalAbout {
    return this.random.pick(ABOUT);
  }

  /** When a vendor says that something happened. */
  pickOccurred(): string | null {
    return this.random.pick([null, this.ago(0), this.sometime()]);
  }

  makeOutcome(ext: string): SendOutcome {
    const { random } = this;
    const kind = random.pick(['accepted', 'accepted', 'accepted', 'rejected', 'rejected', 'unknown'] as const);
    if (kind === 'accepted')
      return { kind, messageId: random.chance(0.15) ? null : ext, chatId: random.pick([null, `chat ${ext}`]) };
    if (kind === 'unknown') return { kind, reason: 'No answer came' };
    const retryAfterSeconds = random.pick([null, null, 0, 30]);
    return { kind, about: this.pickAbout(), code: 'CODE', reason: 'It was refused', retryAfterSeconds };
  }
}
