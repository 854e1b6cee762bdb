/**
 * Decides what a lead's message asks of us: an answer, a human, or nothing. One rule for what arrives and for what is
 * edited, in both worlds. Pure.
 */
import { roleOf } from '../channels/messageKindContract.ts';
import { asksByEmoji, asksSomething, isClosing } from './closing.ts';
import type { SilentCode } from './noAnswer.ts';
import { isRobot, type RecentMessage } from './robots.ts';

/** Messages that were older than this when we received them, by the vendor's time, are stored and not answered. */
const MAX_AGE_MS = 24 * 3600 * 1000;

/** How many messages before one decide what it means. */
export const RECENT_LIMIT = 24;

/** Why nobody needs to answer: the lead only said 'ok, thanks', or reacted; or deleted what was to be answered. */
export const quietReasons = ['closing', 'reaction', 'deleted'] as const;
export type QuietReason = (typeof quietReasons)[number];

export type Meaning =
  /** A notice of the messenger, which the lead did not write. */
  | { readonly kind: 'notice' }
  | { readonly kind: 'turn' }
  /** A sign of the lead that starts no turn, and that people have to see. */
  | { readonly kind: 'unseen'; readonly code: SilentCode }
  /** A sign of the lead that starts no turn, and that nobody has to see. */
  | { readonly kind: 'quiet'; readonly reason: QuietReason | null }
  /** Another program writes. */
  | { readonly kind: 'robot' };

export interface MessageFacts {
  readonly kind: string;
  readonly text: string;
  /** When the lead wrote it, ms since 1970. */
  readonly at: number;
  /** How old it was when we received it. */
  readonly ageMs: number;
  /** The messages before it, oldest first, at most `RECENT_LIMIT`. */
  readonly recent: readonly RecentMessage[];
}

/**
 * Return what a message means.
 *
 * A closing ('ok, thanks') ends a turn if we have asked nothing, and the lead has written before: the first words of a
 * lead are answered, whatever they are. A reaction or a sticker is like a text of its emoji, but needs no earlier words:
 * it starts a turn if we have asked something, or if it asks or complains itself.
 */
export function meaningOf({ kind, text, at, ageMs, recent }: MessageFacts): Meaning {
  const role = roleOf({ kind, text });
  switch (role) {
    case 'notice':
      return { kind: 'notice' };
    case 'activity':
      return { kind: 'quiet', reason: null };
    case 'call':
    case 'order':
    case 'payment':
    case 'unreadable':
      return { kind: 'unseen', code: role };
    case 'sign':
    case 'turn': {
      const isSign = role === 'sign';
      const ends = isSign ? !asksByEmoji(text) : kind === 'text' && hasWrittenBefore(recent) && isClosing(text);
      if (ends && !haveAsked(recent)) return { kind: 'quiet', reason: isSign ? 'reaction' : 'closing' };
      if (ageMs > MAX_AGE_MS) return { kind: 'unseen', code: 'late' };
      return isRobot({ kind, text, at }, recent) ? { kind: 'robot' } : { kind: 'turn' };
    }
    default:
      return role satisfies never;
  }
}

const hasWrittenBefore = (recent: readonly RecentMessage[]): boolean =>
  recent.some(({ side }) => side === 'user') && recent.some(({ side }) => side === 'bot');

/** Whether what we wrote last, in one or several parts, asks the lead something. */
function haveAsked(recent: readonly RecentMessage[]): boolean {
  const last = recent.findLastIndex(({ side }) => side === 'bot');
  for (let at = last; at >= 0; at--) {
    const message = recent[at];
    if (message?.side !== 'bot') return false;
    if (asksSomething(message.text)) return true;
  }
  return false;
}
