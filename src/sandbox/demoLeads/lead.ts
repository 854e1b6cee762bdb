/** How a lead of the demo is written down. */
import type { ContactType, Stage } from '../../leads/contract.ts';

/**
 * A part of a talk that was had in one go. One message a line, `who: text`; in brackets after `who` what became of it,
 * or what kind of medium it is:
 *
 *     bot: Hello!
 *     lead [image]: our niche
 *     bot [cancelled: The lead wrote again before it left]: …
 *     operator [tomorrow 10:00]: …
 */
export type Sitting = {
  readonly script: string;
} & (
  | {
      /** In working days of the product, on the lead's clock; at least 1, so that it is always past. */
      readonly daysAgo: number;
      /** HH:MM of the first message on the lead's clock. */
      readonly at: string;
    }
  | { /** When the last message was written. */ readonly minutesAgo: number }
  | { /** A follow-up: it left when this step of the product was due. */ readonly followUp: number }
);

/** A document of the lead: a text or a link. */
export interface DemoDocument {
  readonly name: string;
  readonly type: string;
  readonly text?: string;
  readonly url?: string;
  readonly daysAgo: number;
}

export interface DemoLead {
  readonly name: string;
  readonly messenger: ContactType;
  readonly contact: string;
  /** Where the lead stands now; the way there is told by `moved` and the talk. */
  readonly stage: Stage;
  readonly timezone: string | null;
  /** Days since the lead came in. */
  readonly age: number;
  readonly fields?: Readonly<Record<string, string | number | readonly string[]>>;
  /** The lead wrote first: it came in as `ongoing`. */
  readonly wroteFirst?: boolean;
  /** What moved the lead into its last stage. */
  readonly moved?: {
    readonly by: string;
    readonly reason?: string;
    /** After which sitting; the last when left out. */
    readonly after?: number;
    readonly hoursLater?: number;
  };
  /** Who switched the lead off: an operator's login, or `lead` after a wish to be left alone. */
  readonly switchedOff?: string;
  /** What classification said of the lead's last words where it moved nobody. */
  readonly judged?: string;
  /** An operator has skipped its follow-ups. */
  readonly skipped?: true;
  /** Who writes as operator in this talk; `demo` when left out. */
  readonly operator?: string;
  readonly documents?: readonly DemoDocument[];
  /** Why a human has the dialogue. */
  readonly human?: string;
  /** Why the bot could not answer the last message. */
  readonly noAnswer?: string;
  readonly talk?: readonly Sitting[];
}
