/** Time zones by name, shared by server and console. */
import { z } from 'zod';

const validity = new Map<string, boolean>();

export function isZone(zone: string): boolean {
  const cached = validity.get(zone);
  if (cached !== undefined) return cached;
  let isValid = true;
  try {
    Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    isValid = false;
  }
  validity.set(zone, isValid);
  return isValid;
}

/** The IANA name of a time zone. */
export const timeZone = z.string().max(100).refine(isZone, 'Unknown time zone');
