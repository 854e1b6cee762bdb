/** What the plan is made from: plain facts about leads and the settings of their product. Instants are ms since 1970 UTC. */
import type { ChannelType, Ramp } from '../channels/contract.ts';
import type { Stage } from '../leads/contract.ts';
import type { ReplyHours } from '../products/contract.ts';
import type { QuotaClock } from '../products/quotaDay.ts';
import type { SequenceStep } from './sequence.ts';
import type { Week } from './workingHours.ts';

export interface ContactFacts {
  readonly id: number;
  /** Normalised. One person may be several leads, by the same address. */
  readonly address: string;
  readonly type: ChannelType;
  readonly since: number;
  /** An automatic first message to it was refused for good: it is not tried again. */
  readonly refused: boolean;
  /** The lead that this person was first written to as; null: not yet by anyone. */
  readonly contactedAsLeadId: number | null;
  /** Channels on which somebody else's dialogue with this address exists, in whichever product. */
  readonly addressTakenOn: readonly number[];
}

export interface DialogueFacts {
  readonly id: number;
  readonly createdAt: number;
  /** The lead's last message; 0: the lead never wrote. Follow-ups hang on it. */
  readonly anchor: number;
  readonly anchorAt: number | null;
  /** The newest message that left or came, or failed; null: nothing yet. */
  readonly last: { readonly id: number; readonly ours: boolean; readonly at: number; readonly failed: boolean } | null;
  /** A message of ours waits or is in hand. */
  readonly outgoing: boolean;
  /** When the last of those that wait leaves; null: none waits, or one is in hand. */
  readonly outgoingAt: number | null;
  /** Highest step already taken for the anchor. */
  readonly stepsDone: number;
  /** When that step was sent, its last part counts; null: none is taken, or it is not sent yet. */
  readonly stepAt: number | null;
  readonly skipFor: number | null;
}

export interface LeadFacts {
  readonly id: number;
  readonly isActive: boolean;
  readonly optedOut: boolean;
  readonly stage: Stage;
  readonly zone: string | null;
  /** Since when it is active and in stage `initial`. */
  readonly eligibleSince: number;
  /** Main ones first. */
  readonly contacts: readonly ContactFacts[];
  /** Any message in either direction, but for a refused first one. */
  readonly hasConversation: boolean;
  readonly dialogue: DialogueFacts | null;
  /** The lead's last message in any dialogue. */
  readonly lastUserAt: number | null;
  /** A human has the lead as a whole, or one of its dialogues. */
  readonly humanOwned: boolean;
}

export interface LinkSettings {
  readonly channelId: number;
  readonly name: string;
  readonly type: ChannelType;
  readonly since: number;
  readonly canWriteFirst: boolean;
  /** Why no first message leaves by it now; null: it may. */
  readonly blockReason: string | null;
  /** When that ends by itself; null: it does not. */
  readonly resumesAt: number | null;
  /** A new number begins with fewer a day: so many on its first day, so many more on each following one. */
  readonly ramp: Ramp | null;
  /** When it sent its first first message; its days count from there. */
  readonly firstSentAt: number | null;
}

/** Its zone is the product's: days of limits and 'Send at' are read in it. */
export interface Settings extends QuotaClock {
  readonly productId: number;
  readonly isActive: boolean;
  /** 0: leads do not expire. */
  readonly expiresHours: number;
  readonly firstMessages: {
    readonly limits: Readonly<Record<ChannelType, number>>;
    readonly intervalSeconds: number;
    /** Up to so many seconds more, different each time. */
    readonly jitterSeconds: number;
    /** Minutes after midnight in the product's zone. */
    readonly sendAt: number;
  } | null;
  readonly links: readonly LinkSettings[];
  /** Whether replies of the bot keep `hours`; first messages and follow-ups always do. */
  readonly replyHours: ReplyHours;
  /** Null: no restrictions. */
  readonly hours: { readonly week: Week; readonly zone: string } | null;
  readonly pings: {
    readonly configId: number;
    readonly isEnabled: boolean;
    readonly onNoReply: boolean;
    readonly steps: readonly SequenceStep[];
  } | null;
}

/** What first messages of a product share. */
export interface Counters {
  /** When the product's last first message was claimed or settled, and whose it was. */
  readonly lastAt: number | null;
  readonly lastLeadId: number | null;
  /** One is with the vendor right now. */
  readonly isSending: boolean;
  /** First messages of the quota day of `now`, by channel. */
  readonly sentTodayByChannel: ReadonlyMap<number, number>;
  /** The same by messenger; also of channels that are no longer linked. */
  readonly sentTodayByType: Readonly<Record<ChannelType, number>>;
}

export interface Facts {
  readonly leads: readonly LeadFacts[];
  readonly counters: Counters;
}
