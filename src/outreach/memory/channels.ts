/** The channels and accounts of the engine in memory, and what they allow now. Instants are ms since 1970 UTC. */
import type { ChannelVendor } from '../../channels/contract.ts';
import { driverOf } from '../../channels/drivers.ts';
import type { ChannelDelay } from '../../conversations/message.ts';
import type { DueFacts } from '../../outbox/decideSend.ts';
import type { LinkSettings } from '../facts.ts';

/** Seconds between two sends of an account that sends one message at a time. */
const ACCOUNT_INTERVAL_SECONDS = 60;

/** The context of a message whose channel is not known. */
const OPEN: DueFacts['context'] = {
  vendor: 'wazzup24',
  channel_active: true,
  channel_rests: false,
  rest_reason: null,
  key_rejected_reason: null,
  account_waits: false,
};

interface MemoryChannel {
  readonly link: LinkSettings;
  readonly vendor: ChannelVendor;
  readonly accountId: number;
  readonly delay: ChannelDelay | undefined;
  isActive: boolean;
  pausedUntil: number | null;
  pauseReason: string | null;
  /** Why it sends no first messages, until something arrives by it. */
  stoppedReason: string | null;
  firstSentAt: number | null;
}

/** What a channel has besides its link; by default one of Wazzup24, with an account of its own. */
export type ChannelOptions = Partial<Pick<MemoryChannel, 'vendor' | 'accountId' | 'delay'>>;

export class MemoryChannels {
  readonly #channels: ReadonlyMap<number, MemoryChannel>;
  readonly #nextSendAt = new Map<number, number>();
  /** Why the key of an account is rejected, by account. */
  readonly #rejectedKeys = new Map<number, string>();

  constructor(links: readonly LinkSettings[], options: ReadonlyMap<number, ChannelOptions> = new Map()) {
    this.#channels = new Map(links.map((link) => [link.channelId, toChannel(link, options.get(link.channelId))]));
  }

  get(id: number | null): MemoryChannel | undefined {
    return id === null ? undefined : this.#channels.get(id);
  }

  vendorOf(id: number | null): ChannelVendor {
    return this.get(id)?.vendor ?? OPEN.vendor;
  }

  /** Return the links as the plan sees them now. */
  links(now: number): LinkSettings[] {
    return [...this.#channels.values()].map((channel) => {
      const { link, firstSentAt } = channel;
      const blockReason = this.#blockReason(channel, now);
      return {
        ...link,
        firstSentAt,
        blockReason,
        resumesAt: blockReason === null ? null : this.#opensAt(channel, now),
      };
    });
  }

  /** Return when a channel can send again: `now` if it can; null if only a change of the channel lets it. */
  opensAt(id: number | null, now: number): number | null {
    const channel = this.get(id);
    if (!channel) return now;
    const mayOpen = channel.isActive && !this.#rejectedKeys.has(channel.accountId);
    return mayOpen ? Math.max(now, channel.pausedUntil ?? now, this.#waitsUntil(channel)) : null;
  }

  /** Return the next instant after `now` at which a channel or an account may send again; infinity if there is none. */
  nextChange(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const channel of this.#channels.values())
      for (const at of [channel.pausedUntil ?? 0, this.#waitsUntil(channel)]) if (at > now && at < next) next = at;
    return next;
  }

  /** Return what deciding about a message of a channel needs. */
  contextOf(id: number | null, now: number): DueFacts['context'] {
    const channel = this.get(id);
    if (!channel) return OPEN;
    const rests = (channel.pausedUntil ?? 0) > now;
    return {
      vendor: channel.vendor,
      channel_active: channel.isActive,
      channel_rests: rests,
      rest_reason: rests ? channel.pauseReason : null,
      key_rejected_reason: this.#rejectedKeys.get(channel.accountId) ?? null,
      account_waits: this.#waitsUntil(channel) > now,
    };
  }

  /** Note that a message was handed to the vendor. Returns whether the account waits now until its interval is over. */
  noteSend(id: number | null, now: number): boolean {
    const channel = this.get(id);
    if (!channel || driverOf(channel.vendor).rateLimit.clock === 'real') return false;
    this.#nextSendAt.set(channel.accountId, now + ACCOUNT_INTERVAL_SECONDS * 1000);
    return true;
  }

  /** Pause a channel that could not send. Its first messages stop until something arrives by it. */
  pause(id: number | null, { now, seconds, reason }: { now: number; seconds: number; reason: string }): void {
    const channel = this.get(id);
    if (!channel) return;
    channel.pausedUntil = now + seconds * 1000;
    channel.pauseReason = reason;
    channel.stoppedReason ??= reason;
  }

  /** Nothing leaves by the account of a channel any more. */
  rejectKey(id: number | null, reason: string): void {
    const channel = this.get(id);
    if (channel) this.#rejectedKeys.set(channel.accountId, reason);
  }

  #waitsUntil({ accountId }: MemoryChannel): number {
    return this.#nextSendAt.get(accountId) ?? 0;
  }

  #blockReason(channel: MemoryChannel, now: number): string | null {
    if (!channel.isActive) return 'It is switched off';
    const rejected = this.#rejectedKeys.get(channel.accountId);
    if (rejected !== undefined) return rejected;
    if ((channel.pausedUntil ?? 0) > now) return channel.pauseReason;
    if (channel.stoppedReason !== null) return channel.stoppedReason;
    return this.#waitsUntil(channel) > now ? 'Its account takes one message a minute' : null;
  }

  #opensAt(channel: MemoryChannel, now: number): number | null {
    return channel.stoppedReason === null ? this.opensAt(channel.link.channelId, now) : null;
  }
}

function toChannel(link: LinkSettings, options: ChannelOptions = {}): MemoryChannel {
  const { blockReason, resumesAt } = link;
  return {
    link,
    vendor: options.vendor ?? 'wazzup24',
    accountId: options.accountId ?? link.channelId,
    delay: options.delay,
    isActive: true,
    pausedUntil: resumesAt,
    pauseReason: blockReason,
    // What ends by no instant is a stop.
    stoppedReason: resumesAt === null ? blockReason : null,
    firstSentAt: link.firstSentAt,
  };
}
