/**
 * What a node takes in at once. Beyond that a request is refused in the moment it comes, 503 with Retry-After, instead
 * of waiting for ever among others who wait: vendors bring their hooks again, consoles say that the server is busy. Each
 * kind has room of its own, so that no crowd of one takes the place of another.
 */
import type { Endpoint } from '../contract.ts';
import type { Log } from '../log.ts';

/** `hooks`: what vendors tell us; `streams`: what stays open (live streams, sockets); `calls`: everything else. */
export type Crowd = 'hooks' | 'calls' | 'streams';

/** How many of each may be inside at once. */
export type Room = Readonly<Record<Crowd, number>>;

export interface Admission {
  /** Lets one in and gives how it leaves, which may be called more than once; null when there is no room. */
  enter(crowd: Crowd): (() => void) | null;
  /** The crowds that have no room now. */
  full(): Crowd[];
}

/** An overload is logged when it begins, and again when there was none for so long. */
const QUIET_MS = 10_000;

const CROWDS: readonly Crowd[] = ['hooks', 'calls', 'streams'];

/** Which crowd an endpoint's callers are; null for probes of the process, which have to be answered whatever there is. */
export function crowdOf(endpoint: Endpoint): Crowd | null {
  if (endpoint.load === 'probe') return null;
  if (endpoint.socket || endpoint.load === 'stream') return 'streams';
  return endpoint.access === 'hook' || endpoint.access === 'session-or-hook' ? 'hooks' : 'calls';
}

export function createAdmission(room: Room, log: Log, refused: (crowd: Crowd) => void): Admission {
  const inside: Record<Crowd, number> = { hooks: 0, calls: 0, streams: 0 };
  const lastRefused: Record<Crowd, number> = { hooks: -Infinity, calls: -Infinity, streams: -Infinity };
  return {
    enter(crowd) {
      if (inside[crowd] >= room[crowd]) {
        refused(crowd);
        const now = performance.now();
        if (now - lastRefused[crowd] > QUIET_MS) log.warn({ crowd, inside: inside[crowd] }, 'overloaded');
        lastRefused[crowd] = now;
        return null;
      }
      inside[crowd] += 1;
      let isInside = true;
      return () => {
        if (isInside) inside[crowd] -= 1;
        isInside = false;
      };
    },
    full: () => CROWDS.filter((crowd) => inside[crowd] >= room[crowd]),
  };
}
