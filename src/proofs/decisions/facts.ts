/** Random facts for deciders. Each case is a company of its own; what is awkward is frequent. */
import type { HookItem, SendOutcome } from '../../channels/driver.ts';
import type { GeneratedText } from '../../conversations/runPrompt.ts';
import type { Random } from '../harness/random.ts';

export type Row = Readonly<Record<string, unknown>>;
/** Rows by table. */
export type Rows = Readonly<Record<string, readonly Row[]>>;

export interface Case {
  readonly number: number;
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

/** Instants on which working hours, days and changes of the clocks begin and end in the zones below. */
export const INSTANTS = [
  '2026-03-29T00:59:59.999Z',
  '2026-03-29T01:00:00.000Z',
  '2026-04-04T15:00:00.000Z',
  '2026-10-25T00:30:00.000Z',
  '2026-10-25T00:59:59.999Z',
  '2026-10-25T01:00:00.000Z',
  '2026-11-01T05:59:59.999Z',
  '2026-11-01T06:00:00.000Z',
  '2026-11-22T22:59:59.999Z',
  '2026-11-22T23:00:00.000Z',
  '2026-11-23T07:59:59.999Z',
  '2026-11-23T08:00:00.000Z',
  '2026-11-23T09:30:00.000Z',
  '2026-11-23T16:59:59.999Z',
  '2026-11-23T17:00:00.000Z',
] as const;
export const ZONES = [
  'Europe/Berlin',
  'Europe/Berlin',
  'UTC',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
];
const STAGES = ['initial', 'started', 'started', 'ongoing', 'ongoing', 'pending', 'refused', 'ignore', 'success'];
const HOUR = 3_600_000;
/** Offsets from now in milliseconds: ties, edges, past and future. */
const OFFSETS = [0, 0, 1, -1, -1000, 1000, -HOUR, HOUR, -24 * HOUR, -24 * HOUR - 1, -24 * HOUR + 1, -90 * 24 * HOUR];
export const ANOTHER_INSTANCE = '00000000-0000-4000-8000-000000000001';

/** Ids of a case's rows start at its number times this. */
export const IDS_OF_CASE = 1000;

export const range = (length: number): number[] => Array.from({ length }, (_none, index) => index);
export const iso = (ms: number): string => new Date(ms).toISOString();
export const sometime = ({ random, now }: Setting): string => iso(now + random.pick(OFFSETS));
/** Return a time that is not after now. */
export const before = ({ random, now }: Setting): string => iso(now - Math.abs(random.pick(OFFSETS)));

/** A key that is the same for both engines. */
export const keyOf = (id: number): string => `00000000-0000-0000-0000-${String(id).padStart(12, '0')}`;

export const NO_WORLD = {
  rounds: [],
  outcomes: [],
  meanwhile: null,
  text: { kind: 'written', text: 'What colour is it to be?', model: { vendor: 'chatgpt', name: 'a model' } },
} as const satisfies Partial<Case>;

/** Make a lead with a contact and its plan; `index` counts the leads of the case. */
export function makeLead(setting: Setting, company: Rows, index: number, more: Row = {}): Record<string, Row[]> {
  const { number, random } = setting;
  const id = number * IDS_OF_CASE + index;
  const isOptedOut = random.chance(0.08);
  const handedOver = random.chance(0.05) ? { human_owner_reason: 'crm_step', human_owner_detail: 'Won' } : {};
  return {
    leads: [
      {
        id,
        product_id: number * IDS_OF_CASE,
        name: 'Anna',
        stage: random.pick(STAGES),
        is_active: isOptedOut ? random.chance(0.2) : !random.chance(0.08),
        recognized_deactivation_request: isOptedOut,
        timezone: random.chance(0.4) ? random.pick(ZONES) : null,
        eligible_since: before(setting),
        created_at: before(setting),
        ...handedOver,
        ...more,
      },
    ],
    contacts: [
      {
        id,
        lead_id: id,
        product_id: number * IDS_OF_CASE,
        contact: addressOf(id),
        address: addressOf(id),
        contact_type: company['channels']?.[0]?.['channel_type'],
        is_main: true,
        created_at: before(setting),
      },
    ],
    outreach: [{ lead_id: id, product_id: number * IDS_OF_CASE, next_at: null }],
  };
}

export const addressOf = (id: number): string => `7${String(id).padStart(10, '0')}`;

/** Make a lead's dialogue, with the bot or a human. */
export function makeDialogue(setting: Setting, leadId: number, more: Row = {}): Record<string, Row[]> {
  const { random } = setting;
  const handedOver = {
    owner: 'human',
    owner_reason: random.pick(['operator', 'phone', 'qualified', 'writes_again', 'crm_step']),
    owner_since: before(setting),
  };
  const product = Math.floor(leadId / IDS_OF_CASE) * IDS_OF_CASE;
  return {
    dialogues: [
      {
        id: leadId,
        product_id: product,
        contact_id: leadId,
        channel_id: product,
        chat_id: random.chance(0.9) ? addressOf(leadId) : null,
        address: addressOf(leadId),
        turn: random.integer(0, 3),
        created_at: before(setting),
        ...(random.chance(0.2) ? handedOver : {}),
        ...more,
      },
    ],
  };
}

/** Make a message; `id` also orders those of the same instant. */
export function makeMessage({ number }: Setting, leadId: number, message: Row & { readonly id: number }): Row {
  const product = number * IDS_OF_CASE;
  return {
    product_id: product,
    contact_id: leadId,
    dialogue_id: leadId,
    channel_id: product,
    message: 'A text',
    side: 'bot',
    author: 'bot',
    send_key: keyOf(message.id),
    ...message,
  };
}

export type ItemFields = Partial<Omit<HookItem, 'occurredAt'>> & { readonly occurredAt?: string | null | undefined };

/** Make what a vendor reported. */
export function makeItem({ number, now }: Setting, row: Row & { readonly ext_id: string }, item: ItemFields): Row {
  return {
    account_id: number * IDS_OF_CASE,
    channel_id: number * IDS_OF_CASE,
    received_at: iso(now),
    ...row,
    item: {
      channelRef: String(number * IDS_OF_CASE),
      extId: row.ext_id,
      occurredAt: null,
      text: '',
      mediaKind: 'text',
      mediaUrl: null,
      isGroup: false,
      isSilent: false,
      name: 'Anna',
      address: null,
      errorCode: null,
      errorReason: null,
      ...item,
    },
  };
}

/** Join the rows of several makers. */
export function joinRows(...all: readonly Rows[]): Rows {
  const joined: Record<string, Row[]> = {};
  for (const rows of all) for (const [table, list] of Object.entries(rows)) (joined[table] ??= []).push(...list);
  return joined;
}
