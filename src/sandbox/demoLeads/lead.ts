/** Format of a demo lead. */
import type { ContactType, Stage } from '../../leads/contract.ts';

/**
 * A part of a talk without longer pauses. Each line is one message, `who: text`, with its outcome or the kind of medium
 * in brackets after `who`:
 *
 *     bot: Hello!
 *     lead [image]: our niche
 *     bot [cancelled: The lead wrote again]: …
 *     operator [tomorrow 10:00]: …
 */
export type Sitting = {
  readonly script: string;
} & (
  | {
      /** Age in working days of the product, on the lead's clock; at least 1, so that it is always past. */
      readonly daysAgo: number;
      /** HH:MM of the first message on the lead's clock. */
      readonly at: string;
    }
  | { /** When the last message was written. */ readonly minutesAgo: number }
  | { /** A follow-up: it was sent when this step of the product was due. */ readonly followUp: number }
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
  /** Current stage of the lead; `moved` and the talk explain how it got there. */
  readonly stage: Stage;
  readonly timezone: string | null;
  /** Days since the lead was created. */
  readonly age: number;
  readonly fields?: Readonly<Record<string, string | number | readonly string[]>>;
  /** Whether the lead wrote first, so that it was created as `ongoing`. */
  readonly wroteFirst?: boolean;
  /** What moved the lead into its last stage. */
  readonly moved?: {
    readonly by: string;
    readonly reason?: string;
    /** Index of the sitting after which it moved; the last one if absent. */
    readonly after?: number;
    readonly hoursLater?: number;
  };
  /** Who deactivated the lead: an operator's login, or `lead` after an opt-out. */
  readonly switchedOff?: string;
  /** Result of classifying the lead's last message if it did not move the lead. */
  readonly judged?: string;
  /** Whether an operator has skipped its follow-ups. */
  readonly skipped?: true;
  /** Login of the operator who writes in this talk; `demo` if absent. */
  readonly operator?: string;
  readonly documents?: readonly DemoDocument[];
  /** Why an operator owns the dialogue. */
  readonly human?: string;
  /** Why the bot could not answer the last message. */
  readonly noAnswer?: string;
  readonly talk?: readonly Sitting[];
}
