/**
 * One simulated talk: a lead that a model plays, our side by the product's own deciders, both on the engine in memory.
 * The clock jumps from one due instant to the next and stands still while a model writes, so a month takes no time. The
 * same answers of the models always give the same talk, so that it can be resumed.
 */
import type { SendOutcome } from '../../channels/driver.ts';
import type { Stage } from '../../leads/contract.ts';
import { MemoryEngine } from '../../outreach/memory/engine.ts';
import type { WrittenText } from '../../outreach/memory/inbound.ts';
import type { MemoryMessage } from '../../outreach/memory/rows.ts';
import type { TextRequest } from '../../outreach/memory/state.ts';
import type { StudioOutput } from '../runContract.ts';
import type { Beat } from './beats.ts';
import type { Draw } from './draw.ts';
import type { Line } from './playPrompt.ts';
import { CHANNEL_ID, CONTACT_ID, LEAD_ID, NO_COUNTERS, newLead, settingsOf, type TalkWorld } from './talkWorld.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Simulated time. */
const TALK_MS = 31 * DAY;
/** How long a lead that waits for a follow-up waits at most. */
const GAP_MS = 3 * DAY;
/** When an operator deactivates a lead that has had its say, and when a muted lead writes once more. */
const DEACTIVATED_AFTER_MS = 2 * HOUR;
const PROBED_AFTER_MS = HOUR;
/** Shares of sends that a failing vendor refuses, and of those that nobody knows of; half of the latter are lost. */
const REFUSED_SHARE = 0.12;
const UNKNOWN_SHARE = 0.06;
/** Share of a lead's turns that come hours later. */
const LATE_SHARE = 0.15;

const ACCEPTED: SendOutcome = { kind: 'accepted', messageId: null, chatId: null };
const REFUSED: SendOutcome = {
  kind: 'rejected',
  about: 'passing',
  code: 'RATE_LIMITED',
  reason: 'Too many requests',
  retryAfterSeconds: 5,
};
const UNKNOWN: SendOutcome = { kind: 'unknown', reason: 'The answer was lost' };

/** What happens beside the conversation. */
interface Circumstances {
  /** The lead is silent for a while in the middle of the talk. */
  readonly hasGap: boolean;
  /** The vendor refuses sends or loses its answers, and an operator deactivates the lead in the end. */
  readonly hasFaults: boolean;
}

/** Circumstances by the number of the repeat: the first is calm. */
const circumstancesOf = (repeat: number): Circumstances => ({ hasGap: repeat % 3 === 1, hasFaults: repeat % 3 === 2 });

/** What our side has generated for a request. */
export interface GeneratedAnswer extends Pick<OurText, 'output' | 'problem'> {
  readonly request: TextRequest['kind'];
  /** What was written before it. */
  readonly history: readonly Line[];
  readonly at: number;
}

/** A message of ours that was handed to the vendor. */
export interface SentMessage {
  readonly id: number;
  readonly text: string;
  readonly origin: MemoryMessage['state']['origin'];
  readonly step: number | null;
  readonly anchor: number | null;
  readonly replyOn: number | null;
  readonly group: string | null;
  readonly at: number;
}

interface Mute {
  readonly from: number;
  /** `qualified`: stage detection has given the dialogue to people. */
  readonly by: 'handed_over' | 'qualified' | 'opted_out' | 'deactivated';
}

export type TalkLine = Line & {
  readonly at: number;
  readonly origin: SentMessage['origin'];
  /** A message of ours that was lost on its way is not. */
  readonly isSeen: boolean;
};

export interface Talk {
  readonly lines: readonly TalkLine[];
  readonly answers: readonly GeneratedAnswer[];
  readonly sent: readonly SentMessage[];
  /** From when the bot may not write to the lead; null: it always may. */
  readonly muted: Mute | null;
  /** When the lead ended the talk as it is meant to; null: it did not come to that, or the lead only falls silent. */
  readonly endedAt: number | null;
  /** Steps of the lead that were not played, since the talk had ended before. */
  readonly left: number;
  /** Messages that should have left and did not. */
  readonly stuck: readonly string[];
}

/** What a call brings, or why it brought nothing. */
export type Spoken<T, F> = { readonly kind: 'said'; readonly value: T } | F;
interface Failure {
  readonly kind: 'failed';
}

export interface OurText {
  readonly output: StudioOutput;
  readonly written: WrittenText;
  /** Why it cannot be sent to anybody; null if it can. */
  readonly problem: string | null;
}

/** What our side knows when it writes. */
export interface VoiceState {
  readonly history: readonly Line[];
  readonly now: number;
  readonly stage: Stage;
}

/** Who writes the texts of a talk. A failure ends the talk. */
export interface Voices<F extends Failure> {
  answer(state: VoiceState): Promise<Spoken<OurText, F>>;
  followUp(step: number, state: VoiceState): Promise<Spoken<OurText, F>>;
  /** Put a step of the lead into words. */
  play(lines: readonly Line[], beat: Beat): Promise<Spoken<readonly string[], F>>;
}

export interface TalkInput<F extends Failure> {
  readonly world: TalkWorld;
  readonly productId: number;
  readonly beats: readonly Beat[];
  /** Decides about circumstances, with `draw`. */
  readonly repeat: number;
  readonly draw: Draw;
  readonly debounceSeconds: number;
  /** Our first message; null: the lead writes first. */
  readonly firstMessage: string | null;
  /** Texts of follow-ups that no model writes, by step. */
  readonly preparedSteps: ReadonlyMap<number, string>;
  readonly voices: Voices<F>;
}

/** Run a talk to its end, and the rest of its month. */
export function runTalk<F extends Failure>(input: TalkInput<F>): Promise<Spoken<Talk, F>> {
  return new TalkRun(input).run();
}

interface Event<F> {
  readonly at: number;
  run(): Promise<F | null>;
}

class TalkRun<F extends Failure> {
  readonly #input: TalkInput<F>;
  readonly #circumstances: Circumstances;
  readonly #engine: MemoryEngine;
  readonly #until: number;
  /** In the order of their instants. */
  readonly #events: Event<F>[] = [];
  readonly #lines: TalkLine[] = [];
  /** Messages of ours that were lost on their way. */
  readonly #lost = new Set<number>();
  readonly #answers: GeneratedAnswer[] = [];
  readonly #sent: SentMessage[] = [];
  /** The next turn of the lead. */
  #turn: Event<F> | null = null;
  #isWriting = false;
  #beat = 0;
  #gap: 'ahead' | 'now' | 'over';
  #endedAt: number | null = null;
  #muted: Mute | null = null;

  constructor(input: TalkInput<F>) {
    this.#input = input;
    const { world, productId, debounceSeconds, firstMessage, preparedSteps } = input;
    this.#circumstances = circumstancesOf(input.repeat);
    this.#gap = this.#circumstances.hasGap ? 'ahead' : 'over';
    this.#until = world.from + TALK_MS;
    this.#engine = new MemoryEngine({
      leads: [newLead(world)],
      counters: NO_COUNTERS,
      settings: settingsOf({ ...world, first_message: firstMessage }, productId),
      from: world.from,
      channels: new Map([[CHANNEL_ID, { vendor: world.channel.vendor, delay: world.channel }]]),
      texts: {
        first: () => firstMessage ?? '',
        followUp: (_leadId, step) => preparedSteps.get(step) ?? null,
        reply: () => null,
      },
      debounceSeconds,
      send: (message) => this.#send(message),
      observer: { settled: (message) => this.#note(message) },
    });
  }

  async run(): Promise<Spoken<Talk, F>> {
    if (this.#input.firstMessage === null) this.#planTurn(this.#input.draw.integer('begins', 1, 45) * MINUTE);
    for (;;) {
      const next = Math.min(this.#engine.nextAt, this.#events[0]?.at ?? this.#until, this.#until);
      const requests = this.#engine.runUntil(next);
      for (const request of requests) {
        const failure = await this.#write(request);
        if (failure) return failure;
      }
      const event = requests.length === 0 ? this.#events[0] : undefined;
      if (event && event.at <= this.#engine.now) {
        this.#events.shift();
        const failure = await event.run();
        if (failure) return failure;
      } else if (requests.length === 0 && this.#engine.now >= this.#until) return { kind: 'said', value: this.#talk() };
      this.#noteMute();
    }
  }

  #plan(event: Event<F>): Event<F> {
    const index = this.#events.findLastIndex((one) => one.at <= event.at);
    this.#events.splice(index + 1, 0, event);
    return event;
  }

  #planCall(delay: number, call: () => void): void {
    this.#plan({
      at: this.#engine.now + delay,
      run: async () => {
        call();
        return null;
      },
    });
  }

  /** Have our side write what the engine asks for. */
  async #write(request: TextRequest): Promise<F | null> {
    const { voices } = this.#input;
    const state = {
      history: this.#lines.map(({ side, text }) => ({ side, text })),
      now: this.#engine.now,
      stage: this.#lead.facts.stage,
    };
    const spoken = request.kind === 'reply' ? await voices.answer(state) : await voices.followUp(request.step, state);
    if (spoken.kind === 'failed') return spoken;
    const { output, written, problem } = spoken.value;
    const { history, now: at } = state;
    // A step without a text says nothing about the prompt.
    const isText = written.kind !== 'none' || problem !== null;
    if (isText) this.#answers.push({ request: request.kind, output, problem, history, at });
    this.#engine.write(request, written);
    return null;
  }

  /** Let the lead write its next turn after a while, unless that is planned or the talk has ended. */
  #planTurn(delay: number): void {
    if (this.#turn || this.#isWriting || this.#beat >= this.#input.beats.length) return;
    const isGap = this.#gap === 'ahead' && this.#beat > 0 && this.#beat >= Math.floor(this.#input.beats.length / 2);
    if (isGap) this.#gap = 'now';
    this.#turn = this.#plan({
      at: this.#engine.now + (isGap ? GAP_MS : delay),
      run: () => this.#takeTurn(),
    });
  }

  async #takeTurn(): Promise<F | null> {
    this.#turn = null;
    if (this.#gap === 'now') this.#gap = 'over';
    const { beats, draw, voices } = this.#input;
    const beat = beats[this.#beat];
    if (!beat || this.#muted) return null;
    const played = await voices.play(
      this.#lines.filter(({ isSeen }) => isSeen).map(({ side, text }) => ({ side, text })),
      beat,
    );
    if (played.kind === 'failed') return played;
    this.#isWriting = true;
    this.#beat++;
    let delay = 0;
    for (const [index, text] of played.value.entries()) {
      const isLast = index === played.value.length - 1;
      this.#planCall(delay, () => {
        this.#receive(text);
        if (!isLast) return;
        this.#isWriting = false;
        if (beat.kind === 'end') this.#end(beat);
        // Nothing of ours follows words that need no answer: the lead writes on by itself.
        else if (this.#lead.dialogue?.state.turn_due_at === null) this.#planTurn(this.#readingTime());
      });
      delay += draw.integer(`types ${this.#beat} ${index}`, 2, 8) * SECOND;
    }
    return null;
  }

  #receive(text: string): void {
    this.#lines.push({ side: 'user', text, at: this.#engine.now, origin: null, isSeen: true });
    if (this.#lead.dialogue) this.#engine.receive(LEAD_ID, text);
    else this.#engine.receiveFirst(LEAD_ID, { contactId: CONTACT_ID, channelId: CHANNEL_ID }, text);
  }

  /** The lead has ended the talk. Stage detection is taken to be right. */
  #end({ ending }: Extract<Beat, { kind: 'end' }>): void {
    this.#endedAt = this.#engine.now;
    const minutes = this.#input.world.detection_minutes;
    const stage = ending === 'refuses' ? 'refused' : ending === 'buys' ? 'success' : null;
    if (stage !== null && minutes !== null)
      this.#planCall(minutes * MINUTE, () => {
        if (!this.#muted) this.#engine.changeStage(LEAD_ID, stage);
      });
    if (this.#circumstances.hasFaults)
      this.#planCall(DEACTIVATED_AFTER_MS, () => {
        if (!this.#muted) this.#engine.deactivate(LEAD_ID);
      });
  }

  /** Note when the bot may no longer write. Such a lead writes once more, which must not be answered. */
  #noteMute(): void {
    if (this.#muted) return;
    const { facts, dialogue } = this.#lead;
    const { owner, owner_reason: reason } = dialogue?.state ?? { owner: 'bot', owner_reason: null };
    const handedOver = reason === 'qualified' ? 'qualified' : 'handed_over';
    const present = facts.isActive ? (owner === 'human' ? handedOver : null) : 'deactivated';
    const by = facts.optedOut ? 'opted_out' : present;
    if (by === null) return;
    this.#muted = { from: this.#engine.now, by };
    this.#planCall(PROBED_AFTER_MS, () => this.#engine.receive(LEAD_ID, '?'));
  }

  /** Be the vendor. */
  #send({ id, state: { attempts } }: MemoryMessage): SendOutcome {
    const { draw } = this.#input;
    if (!this.#circumstances.hasFaults) return ACCEPTED;
    if (draw.chance(`refused ${id} ${attempts}`, REFUSED_SHARE)) return REFUSED;
    if (!draw.chance(`unknown ${id} ${attempts}`, UNKNOWN_SHARE)) return ACCEPTED;
    if (draw.chance(`lost ${id}`, 0.5)) this.#lost.add(id);
    return UNKNOWN;
  }

  #note({ id, text, anchor, state }: MemoryMessage) {
    const { status, origin, ping_step_number: step, reply_on_msg_id: replyOn, part_group: group } = state;
    if (status !== 'sent' && status !== 'unconfirmed') return;
    const { now: at } = this.#engine;
    this.#sent.push({ id, text, origin, step, anchor, replyOn, group, at });
    const isSeen = !this.#lost.has(id);
    this.#lines.push({ side: 'bot', text, at, origin, isSeen });
    if (!isSeen) return;
    const isAwaited = this.#gap === 'now' && step !== null;
    if (isAwaited && this.#turn) {
      this.#events.splice(this.#events.indexOf(this.#turn), 1);
      this.#turn = null;
    }
    this.#planTurn(this.#readingTime());
  }

  /** Most leads answer within minutes, some after hours. */
  #readingTime(): number {
    const { draw } = this.#input;
    return draw.chance(`late ${this.#beat}`, LATE_SHARE)
      ? draw.integer(`hours ${this.#beat}`, 1, 9) * HOUR
      : draw.integer(`reads ${this.#beat}`, 15, 240) * SECOND;
  }

  get #lead() {
    const lead = this.#engine.leads.get(LEAD_ID);
    if (!lead) throw new Error('The simulated lead is gone');
    return lead;
  }

  #talk(): Talk {
    const { waiting } = this.#lead;
    return {
      lines: this.#lines,
      answers: this.#answers,
      sent: this.#sent,
      muted: this.#muted,
      endedAt: this.#endedAt,
      left: this.#input.beats.length - this.#beat,
      stuck: waiting
        .filter(({ state }) => (state.retry_at ?? state.scheduled_at ?? 0) < this.#until)
        .map(({ text }) => text),
    };
  }
}
