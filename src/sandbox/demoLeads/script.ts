/** Parses the lines of a talk: authors, texts, and outcomes. Pure. */
import { z } from 'zod';

const lineShape = z.object({
  who: z.enum(['lead', 'bot', 'operator', 'phone']),
  text: z.string(),
  /** `text`, or the kind of a medium. */
  kind: z.string(),
  status: z.enum(['sent', 'delivered', 'read', 'error', 'unconfirmed', 'cancelled', 'scheduled']),
  /** The vendor's error code. */
  code: z.string().optional(),
  reason: z.string().optional(),
  /** HH:MM on the lead's clock, of a scheduled message. */
  tomorrowAt: z.string().optional(),
});
export type Line = z.output<typeof lineShape>;

const LINE = /^(?<who>\w+)(?: \[(?<mark>[^\]]+)\])?:(?: (?<text>.*))?$/;
const MARK =
  /^(?:(?<kind>image|document|voice message)|tomorrow (?<tomorrowAt>\d\d:\d\d)|(?<status>\w+)(?: (?<code>[A-Z_]+))?(?:: (?<reason>.+))?)$/;

/** Parse a line of a talk. Throws on an invalid one. */
export function lineOf(line: string): Line {
  const { who, mark = 'read', text = '' } = LINE.exec(line)?.groups ?? {};
  const { kind = 'text', tomorrowAt, status, ...failure } = MARK.exec(mark)?.groups ?? { status: mark };
  return lineShape.parse({
    who,
    kind,
    // The product shows a medium without text the same way.
    text: text === '' ? `[${kind}]` : text,
    status: tomorrowAt ? 'scheduled' : (status ?? 'read'),
    tomorrowAt,
    ...failure,
  });
}
