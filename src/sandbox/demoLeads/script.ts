/** Parses the lines of a talk: authors, texts, and outcomes. Pure. */
import type { Author } from '../../conversations/contract.ts';

type Who = Exclude<Author, 'other'>;

type Outcome =
  | { readonly status: 'sent' | 'delivered' | 'read' }
  | { readonly status: 'error'; readonly code: string; readonly reason: string }
  | { readonly status: 'unconfirmed' | 'cancelled'; readonly reason: string }
  /** HH:MM on the lead's clock. */
  | { readonly status: 'scheduled'; readonly tomorrowAt: string };

export interface Line {
  readonly who: Who;
  readonly text: string;
  /** `text`, or the kind of a medium. */
  readonly kind: string;
  readonly outcome: Outcome;
}

const LINE = /^(lead|bot|operator|phone)(?: \[([^\]]+)\])?:(?: (.*))?$/;
const MEDIA = new Set(['image', 'document', 'voice message']);

/** Parse a line of a talk. Throws on an invalid one. */
export function lineOf(line: string): Line {
  const found = LINE.exec(line);
  if (!found) throw new Error(`Not a line of a talk: ${line}`);
  const [, who, mark = 'read', text = ''] = found;
  const kind = MEDIA.has(mark) ? mark : 'text';
  return {
    who: whoOf(who),
    kind,
    // The product shows a medium without text the same way.
    text: text === '' ? `[${kind}]` : text,
    outcome: kind === 'text' ? outcomeOf(mark) : { status: 'read' },
  };
}

function whoOf(name: string | undefined): Who {
  if (name === 'lead' || name === 'bot' || name === 'operator' || name === 'phone') return name;
  throw new Error(`Nobody is called ${name}`);
}

function outcomeOf(mark: string): Outcome {
  if (mark === 'sent' || mark === 'delivered' || mark === 'read') return { status: mark };
  const tomorrow = /^tomorrow (\d\d:\d\d)$/.exec(mark)?.[1];
  if (tomorrow !== undefined) return { status: 'scheduled', tomorrowAt: tomorrow };
  const error = /^error ([A-Z_]+): (.+)$/.exec(mark);
  if (error?.[1] !== undefined && error[2] !== undefined) {
    return { status: 'error', code: error[1], reason: error[2] };
  }
  const [, status, reason] = /^(unconfirmed|cancelled): (.+)$/.exec(mark) ?? [];
  if ((status === 'unconfirmed' || status === 'cancelled') && reason !== undefined) return { status, reason };
  throw new Error(`Not an outcome: ${mark}`);
}
