/** Time zones by name. The same for both halves. */
import { z } from 'zod';

const known = new Map<string, boolean>();

/** Whether there is a time zone of this name. */
export function isZone(zone: string): boolean {
  const before = known.get(zone);
  if (before !== undefined) return before;
  let is = true;
  try {
    Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    is = false;
  }
  known.set(zone, is);
  return is;
}

/** The IANA name of a time zone. */
export const timeZone = z.string().max(100).refine(isZone, 'Unknown time zone');
