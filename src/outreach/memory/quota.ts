/** First messages of a product and day, as the engine in memory counts them. Instants are ms since 1970 UTC. */
import type { ChannelType } from '../../channels/contract.ts';
import { type QuotaClock, quotaDay } from '../../products/quotaDay.ts';
import type { Counters } from '../facts.ts';

interface Taken {
  readonly channelId: number;
  readonly type: ChannelType;
}

export class MemoryQuota {
  readonly #clock: QuotaClock;
  readonly #taken = new Map<number, Taken>();
  readonly #byType: Record<ChannelType, number>;
  #byChannel: Map<number, number>;
  #lastAt: number | null;
  #lastLeadId: number | null;
  #lastMessageId: number | null = null;
  #dayEnds: number;

  constructor(clock: QuotaClock, counters: Counters, now: number) {
    this.#clock = clock;
    this.#byChannel = new Map(counters.sentTodayByChannel);
    this.#byType = { ...counters.sentTodayByType };
    this.#lastAt = counters.lastAt;
    this.#lastLeadId = counters.lastLeadId;
    this.#dayEnds = quotaDay(clock, now).until;
  }

  /** Return the counters as of `now`; `without`: a message that may have a place, which is left out. */
  counters(now: number, without: number | null = null): Counters {
    if (now >= this.#dayEnds) this.#beginDay(now);
    const own = without === null ? undefined : this.#taken.get(without);
    const byChannel = own
      ? new Map(this.#byChannel).set(own.channelId, (this.#byChannel.get(own.channelId) ?? 1) - 1)
      : this.#byChannel;
    return {
      lastAt: this.#lastAt,
      lastLeadId: this.#lastLeadId,
      isSending: false,
      sentTodayByChannel: byChannel,
      sentTodayByType: own ? { ...this.#byType, [own.type]: this.#byType[own.type] - 1 } : this.#byType,
    };
  }

  take(messageId: number, taken: Taken & { readonly leadId: number }, now: number): void {
    this.release(messageId);
    this.#taken.set(messageId, taken);
    this.#count(taken, 1);
    this.#lastAt = now;
    this.#lastLeadId = taken.leadId;
    this.#lastMessageId = messageId;
  }

  release(messageId: number): void {
    const taken = this.#taken.get(messageId);
    if (taken && this.#taken.delete(messageId)) this.#count(taken, -1);
  }

  /** Restart the interval when a message is settled, if it is still the last one. */
  restartInterval(messageId: number, now: number): void {
    if (this.#lastMessageId === messageId) this.#lastAt = now;
  }

  #count({ channelId, type }: Taken, change: number): void {
    this.#byChannel.set(channelId, (this.#byChannel.get(channelId) ?? 0) + change);
    this.#byType[type] += change;
  }

  #beginDay(now: number): void {
    this.#taken.clear();
    this.#byChannel = new Map();
    this.#byType.telegram = 0;
    this.#byType.whatsapp = 0;
    this.#dayEnds = quotaDay(this.#clock, now).until;
  }
}
