/** The input of the plan: plain facts about leads and the settings of their product. Instants are ms since 1970 UTC. */
import type { ChannelType, Ramp } from '../channels/contract.ts';
import type { AddressRefusal } from '../leads/addressRefusal.ts';
import type { Stage } from '../leads/contract.ts';
import type { PersonOptOut } from '../leads/personOptOut.ts';
import type { ReplyHours } from '../products/contract.ts';
import type { PreviousLimits } from '../products/previousLimits.ts';
import type { QuotaClock } from '../products/quotaDay.ts';
import type { SequenceStep } from './sequence.ts';
import type { Week } from './workingHours.ts';

export interface ContactFacts {
  readonly id: number;
  /** Normalised address. Several leads with it, or with a national variant of it, are one person. */
  readonly address: string;
  readonly type: ChannelType;
  readonly since: number;
  /** True if an automatic first message to it was refused for good; it is not tried again. */
  readonly refused: boolean;
  /** Id of the lead under which this person was first contacted; null if nobody has contacted them yet. */
  readonly contactedAsLeadId: number | null;
  /** Channels on which another contact has a dialogue with this person, in any product. */
  readonly addressTakenOn: readonly number[];
  /** Why nothing unsolicited is sent to the address: it is not a valid number. Null if it may be written to. */
  readonly addressRefusal: AddressRefusal | null;
}

export interface DialogueFacts {
  readonly id: number;
  readonly createdAt: number;
  /** Id of the lead's last message, from which follow-ups count; 0 if the lead never wrote. */
  readonly anchor: number;
  readonly anchorAt: number | null;
  /** The newest message that was sent, received or failed; null if there is none. */
  readonly last: { readonly id: number; readonly ours: boolean; readonly at: number; readonly failed: boolean } | null;
  /** True if a message of ours is waiting or being sent. */
  readonly outgoing: boolean;
  /** When the last waiting message is sent; null if none waits, or one is being sent. */
  readonly outgoingAt: number | null;
  /** Highest step already created for the anchor. */
  readonly stepsDone: number;
  /** When the last part of that step was sent; null if there is no such step, or it is not fully sent yet. */
  readonly stepAt: number | null;
  readonly skipFor: number | null;
  /** Why nothing unsolicited is sent to its address. Null if it may be written to, or the lead has written from it. */
  readonly addressRefusal: AddressRefusal | null;
}

export interface LeadFacts {
  readonly id: number;
  readonly isActive: boolean;
  readonly optedOut: boolean;
  /** The wish of the person to get no more messages, known from any lead of the company; null if there is none. */
  readonly personOptOut: PersonOptOut | null;
  readonly stage: Stage;
  readonly zone: string | null;
  /** Since when the lead is active and in stage `initial`. */
  readonly eligibleSince: number;
  /** Contacts, main ones first. */
  readonly contacts: readonly ContactFacts[];
  /** True if there is any message in either direction, apart from a refused first one. */
  readonly hasConversation: boolean;
  readonly dialogue: DialogueFacts | null;
  /** When the lead last wrote in any dialogue. */
  readonly lastUserAt: number | null;
  /**
   * True if an answer is owed in any dialogue: the last message of the lead there is unanswered, or what answers it is
   * being written, waits to be sent, failed, or is unconfirmed.
   */
  readonly owesAnswer: boolean;
  /** When the last messages of the lead were answered: our last message after them that is no follow-up; null if none was. */
  readonly answeredAt: number | null;
  /** True if a human owns the lead as a whole, or one of its dialogues. */
  readonly humanOwned: boolean;
}

export interface LinkSettings {
  readonly channelId: number;
  readonly name: string;
  readonly type: ChannelType;
  readonly since: number;
  readonly canWriteFirst: boolean;
  /** Why the channel may not send first messages now; null if it may. */
  readonly blockReason: string | null;
  /** When the block ends without intervention; null if it does not. */
  readonly resumesAt: number | null;
  /** Daily limit of a new channel: a number for the first day, and an increase for each following day. */
  readonly ramp: Ramp | null;
  /** When the channel sent its very first first message; the days of the ramp count from it. */
  readonly firstSentAt: number | null;
}

/** Settings of a product. Its zone defines the days of quotas and 'Send at'. */
export interface Settings extends QuotaClock {
  readonly productId: number;
  readonly isActive: boolean;
  /** Whether an operator has paused outreach: no first messages and no follow-ups, while replies continue. */
  readonly isPaused: boolean;
  /** Hours of silence until a lead expires; 0 if leads do not expire. */
  readonly expiresHours: number;
  readonly firstMessages: {
    readonly limits: Readonly<Record<ChannelType, number>>;
    /** The limits that count until a raised one does; null if none was raised since the last 'Send at'. */
    readonly previousLimits: PreviousLimits | null;
    readonly intervalSeconds: number;
    /** Upper bound of the random seconds added to the interval, different each time. */
    readonly jitterSeconds: number;
    /** When a day's first messages begin: minutes after midnight in the product's zone. */
    readonly sendAt: number;
  } | null;
  readonly links: readonly LinkSettings[];
  /** Whether the bot's replies keep `hours`; first messages and follow-ups always do. */
  readonly replyHours: ReplyHours;
  /** Working hours; null if there are no restrictions. */
  readonly hours: { readonly week: Week; readonly zone: string } | null;
  readonly pings: {
    readonly configId: number;
    readonly isEnabled: boolean;
    readonly onNoReply: boolean;
    readonly steps: readonly SequenceStep[];
  } | null;
}

/** State that the first messages of a product share. */
export interface Counters {
  /** When the product's last first message was claimed or settled, and for which lead. */
  readonly lastAt: number | null;
  readonly lastLeadId: number | null;
  /** True while a first message is with the vendor. */
  readonly isSending: boolean;
  /** First messages of the quota day of `now`, by channel. */
  readonly sentTodayByChannel: ReadonlyMap<number, number>;
  /** The same by messenger, including channels that are no longer linked. */
  readonly sentTodayByType: Readonly<Record<ChannelType, number>>;
}

export interface Facts {
  readonly leads: readonly LeadFacts[];
  readonly counters: Counters;
}
