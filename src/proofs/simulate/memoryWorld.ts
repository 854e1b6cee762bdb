/** The world of a simulated month in memory: the engine's deciders without a database, and a vendor that may fail. */
import type { SendOutcome } from '../../channels/driver.ts';
import type { LeadFacts } from '../../outreach/facts.ts';
import { MemoryEngine } from '../../outreach/memory/engine.ts';
import type { MemoryMessage } from '../../outreach/memory/rows.ts';
import { rehearse } from '../../outreach/rehearse.ts';
import { toSettings } from '../../outreach/settings.ts';
import { type PreviousLimits, previousLimitsAfter } from '../../products/previousLimits.ts';
import { type SimulatedProduct, type SimulatedSettings, storedSettings } from './product.ts';
import {
  type Arrival,
  DAY,
  type Fault,
  type LeadState,
  type Row,
  type SimulatedWorld,
  type ThreadRow,
} from './simulation.ts';

const OPEN_STAGES = ['initial', 'started', 'ongoing', 'pending'];
const CHANNELS = { whatsapp: 1, telegram: 2 } as const;
const NO_QUOTA = {
  lastAt: null,
  lastLeadId: null,
  isSending: false,
  sentTodayByChannel: new Map(),
  sentTodayByType: { telegram: 0, whatsapp: 0 },
};
const TEXTS = {
  first: () => 'Good day!',
  followUp: (_lead: number, step: number) =>
    step < 3 ? 'Are you still there?' : 'The showroom is open on Sundays.\n\nDo come.',
  reply: () => 'A kitchen costs from 4200 euros.',
};
const ACCEPTED: SendOutcome = { kind: 'accepted', messageId: null, chatId: null };
const RATE_LIMITED: SendOutcome = {
  kind: 'rejected',
  about: 'passing',
  code: 'RATE_LIMITED',
  reason: 'Too many requests',
  retryAfterSeconds: 1,
};

/** What is known of a lead beside the engine. */
interface Person extends Arrival {
  readonly address: string;
  readonly createdAt: number;
  /** Its messages, by what the vendor and the phones saw. */
  readonly rows: Row[];
  /** When each follow-up left or failed. */
  readonly pings: number[];
  readonly received: number[];
  lastStatus: string | null;
  lastOursAt: number | null;
}

export class MemoryWorld implements SimulatedWorld {
  readonly #engine: MemoryEngine;
  readonly #zone: string;
  readonly #people = new Map<number, Person>();
  readonly #rows: Row[] = [];
  readonly #thread: ThreadRow[] = [];
  readonly #onPhone = new Map<string, number>();
  #fault: { kind: Fault; times: number } | null = null;
  #seen = 0;
  #settings: SimulatedSettings;
  #previousLimits: PreviousLimits | null = null;
  readonly #expired: { readonly lead: number; readonly at: number }[] = [];

  constructor({ zone, settings }: SimulatedProduct, from: number) {
    this.#zone = zone;
    this.#settings = settings;
    this.#engine = new MemoryEngine({
      leads: [],
      counters: NO_QUOTA,
      settings: this.#toSettings(settings),
      from,
      texts: TEXTS,
      debounceSeconds: 1,
      send: (message) => this.#send(message),
      observer: {
        settled: (message) => this.#note(message),
        expired: (lead) => this.#expired.push({ lead, at: this.#engine.now }),
      },
    });
  }

  now = async () => this.#engine.now;
  nextDue = async (to: number) => (this.#engine.nextAt < to ? this.#engine.nextAt : null);
  jumpTo = async (at: number) => void this.#engine.runUntil(at);
  settle = async () => void this.#engine.runUntil(this.#engine.now);
  // There is no process to kill.
  kill = async () => undefined;
  rows = async () => this.#rows;
  thread = async () => this.#thread;

  async change(settings: SimulatedSettings): Promise<void> {
    const clockOf = (one: SimulatedSettings) => ({
      zone: this.#zone,
      messagingConfig: storedSettings(one, []).config.messaging_config,
    });
    const before = { ...clockOf(this.#settings), previousLimits: this.#previousLimits };
    this.#previousLimits = previousLimitsAfter(before, clockOf(settings), this.#engine.now);
    this.#settings = settings;
    this.#engine.changeSettings(this.#toSettings(settings));
  }

  async arrive(arrival: Arrival): Promise<number> {
    const id = this.#people.size + 1;
    const twin = arrival.twinOf === null ? undefined : this.#people.get(arrival.twinOf);
    const { now } = this.#engine;
    const address = twin?.address ?? String(79_000_000_000 + id);
    this.#people.set(id, {
      ...arrival,
      address,
      createdAt: now,
      rows: [],
      pings: [],
      received: [],
      lastStatus: null,
      lastOursAt: null,
    });
    const contact = { id, address, type: arrival.messenger, since: now, refused: false };
    const facts: LeadFacts = {
      id,
      isActive: true,
      optedOut: false,
      personOptOut: null,
      stage: 'initial',
      zone: arrival.zone,
      eligibleSince: now,
      contacts: [{ ...contact, contactedAsLeadId: null, addressTakenOn: [], addressRefusal: null }],
      hasConversation: false,
      dialogue: null,
      lastUserAt: null,
      owesAnswer: false,
      answeredAt: null,
      humanOwned: false,
    };
    this.#engine.addLead(facts);
    return id;
  }

  async write(lead: number, text: string): Promise<void> {
    this.#person(lead).received.push(this.#engine.now);
    this.#thread.push({ dialogue: lead, lead, side: 'user', isFollowUp: false, at: this.#engine.now });
    this.#engine.receive(lead, text);
  }

  async setOwner(lead: number, owner: 'bot' | 'human'): Promise<boolean> {
    this.#engine.setOwner(lead, owner);
    return true;
  }

  async deactivate(lead: number): Promise<boolean> {
    this.#engine.deactivate(lead);
    return true;
  }

  async fail(kind: Fault, times: number): Promise<void> {
    this.#fault = { kind, times };
  }

  async setChannelActive(type: keyof typeof CHANNELS, isActive: boolean): Promise<void> {
    this.#engine.setChannelActive(CHANNELS[type], isActive);
  }

  async newlySent(): Promise<Row[]> {
    const rows = this.#rows.slice(this.#seen);
    this.#seen = this.#rows.length;
    return rows;
  }

  async leadStates(): Promise<LeadState[]> {
    const written = new Map<string, number>();
    for (const [id, { rows, address }] of this.#people) if (rows.length > 0) written.set(address, id);
    return [...this.#engine.leads].flatMap(([id, { facts, dialogue, waiting, reason }]): LeadState[] => {
      if (!facts.isActive || !OPEN_STAGES.includes(facts.stage)) return [];
      const { rows, pings, received, address, createdAt, lastStatus, lastOursAt } = this.#person(id);
      const userAt = received.at(-1) ?? null;
      const last = userAt === null || (lastOursAt !== null && lastOursAt >= userAt) ? lastOursAt : userAt;
      const steps = pings.filter((sentAt) => sentAt >= (userAt ?? 0));
      const isFirst = (written.get(address) ?? id) === id;
      return [
        {
          lead: id,
          stage: facts.stage,
          written: rows.length > 0 || lastStatus !== null,
          other: !isFirst,
          eligible: createdAt,
          last_ours: last === null ? null : last !== userAt,
          last_at: last,
          last_status: lastStatus,
          waiting: waiting.length > 0,
          human: dialogue?.state.owner === 'human',
          user_at: userAt,
          answered_at:
            userAt === null ? null : (rows.findLast((one) => one.step === null && one.at > userAt)?.at ?? null),
          begun_at: dialogue?.facts.createdAt ?? null,
          steps: steps.length,
          step_at: steps.at(-1) ?? null,
          why: JSON.stringify(reason),
        },
      ];
    });
  }

  async phones() {
    const stored = Map.groupBy(this.#rows, (row) => row.address);
    return new Map(
      [...this.#onPhone].map(([address, onPhone]) => [address, { onPhone, stored: stored.get(address)?.length ?? 0 }]),
    );
  }

  /** The ledger is kept by the database. */
  findLedgerDifferences = async () => [];
  expired = async () => this.#expired;

  async rehearse(days: number) {
    const { now: from, leads } = this.#engine;
    const facts = [...leads.values()].map((lead) => lead.facts);
    const settings = this.#toSettings(this.#settings);
    return { from, rehearsal: rehearse({ leads: facts, counters: NO_QUOTA, settings, from, to: from + days * DAY }) };
  }

  #toSettings(settings: SimulatedSettings) {
    const { config, schedule, pings } = storedSettings(settings, []);
    const link = { since: 0, canWriteFirst: true, blockReason: null, resumesAt: null, ramp: null, firstSentAt: null };
    return toSettings({
      productId: 1,
      zone: this.#zone,
      longDay: null,
      previousLimits: this.#previousLimits,
      isActive: true,
      isPaused: false,
      replyHours: 'working',
      config,
      schedule: { timezone: settings.zone, config: schedule },
      pings: { id: 1, is_enabled: true, config: pings },
      links: (['whatsapp', 'telegram'] as const).map((type) => ({
        ...link,
        type,
        name: type,
        channelId: CHANNELS[type],
      })),
    });
  }

  #person(id: number): Person {
    const person = this.#people.get(id);
    if (!person) throw new Error(`No lead ${id}`);
    return person;
  }

  /** Be the vendor. A call whose answer is lost is repeated under its key until the vendor answers. */
  #send({ leadId }: MemoryMessage): SendOutcome {
    const fault = this.#fault;
    if (fault && fault.times > 0 && fault.kind === 'wazzup24.rate_limited') {
      fault.times--;
      return RATE_LIMITED;
    }
    this.#fault = null;
    const { address } = this.#person(leadId);
    this.#onPhone.set(address, (this.#onPhone.get(address) ?? 0) + 1);
    return ACCEPTED;
  }

  #note(message: MemoryMessage): void {
    const { id, leadId: lead, anchor } = message;
    const { origin, status, thread_at: at, ping_step_number: step } = message.state;
    const person = this.#person(lead);
    if (status === 'scheduled') return;
    person.lastStatus = status;
    person.lastOursAt = at;
    if (origin === 'ping') person.pings.push(at);
    if (status !== 'sent') return;
    const row: Row = {
      id,
      lead,
      dialogue: lead,
      type: person.messenger,
      // This model asks for no human.
      origin: origin === 'hand_over' ? null : origin,
      step,
      anchor,
      anchor_at: anchor ? (person.received.at(-1) ?? null) : null,
      begun_at: this.#engine.leads.get(lead)?.dialogue?.facts.createdAt ?? at,
      at,
      address: person.address,
    };
    person.rows.push(row);
    this.#rows.push(row);
    this.#thread.push({ dialogue: lead, lead, side: 'bot', isFollowUp: step !== null, at });
  }
}
