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

/** Return the name of a zone's time in a sentence: `Riga time`, `New York time`, `UTC`, `UTC+3`. */
export function zoneTimeName(zone: string): string {
  const place = zone.split('/').at(-1)?.replaceAll('_', ' ') ?? zone;
  // The signs of these names are the other way round.
  const fixed = /^(?:GMT|UTC)(?:(?<sign>[+-])(?<hours>\d+))?$/.exec(place)?.groups;
  if (fixed) return fixed['hours'] === undefined ? 'UTC' : `UTC${fixed['sign'] === '+' ? '-' : '+'}${fixed['hours']}`;
  return ['Universal', 'Zulu', 'UCT', 'Greenwich', 'GMT0'].includes(place) ? 'UTC' : `${place} time`;
}
