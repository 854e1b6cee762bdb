/**
 * What a node takes in at once. Beyond that a request is refused in the moment it comes, 503 with Retry-After, instead
 * of waiting for ever among others who wait: vendors bring their hooks again, consoles say that the server is busy. Each
 * kind has room of its own, so that no crowd of one takes the place of another. Who dawdles, sending or reading as slowly
 * as he can, keeps his place only for as long as nobody else wants it.
 */
import type { Endpoint } from '../contract.ts';
import type { Log } from '../log.ts';

/** `hooks`: what vendors tell us; `streams`: what stays open (live streams, sockets); `calls`: everything else. */
export type Crowd = 'hooks' | 'calls' | 'streams';

/** How many of each may be inside at once. */
export type Room = Readonly<Record<Crowd, number>>;

/** One that is inside. What stays open is at work for as long as it stays. */
export interface Visit {
  /** Whoever asks has said all: nobody takes his place. */
  works(): void;
  /** It is for him to go on: to say what he wants, or to take the answer. */
  waits(): void;
  /** May be called more than once. */
  leave(): void;
}

export interface Admission {
  /** Lets one in; null when there is no room. `cut`: ends him, when he has dawdled and another wants his place. */
  enter(crowd: Crowd, cut: () => void): Visit | null;
  /** The crowds that have no room now. */
  full(): Crowd[];
}

/** Whoever takes less to send his request, and to take his answer, loses no place. */
const DAWDLE_MS = 500;

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
  /** By whom it is to go on, with since when and how he is ended: who has waited longest comes first. */
  const waiting: Record<Crowd, Map<Visit, { readonly since: number; readonly end: () => void }>> = {
    hooks: new Map(),
    calls: new Map(),
    streams: new Map(),
  };
  const told: Record<Crowd, number> = { hooks: -Infinity, calls: -Infinity, streams: -Infinity };
  const tell = (crowd: Crowd, what: string): void => {
    const now = performance.now();
    if (now - told[crowd] > QUIET_MS) log.warn({ crowd, inside: inside[crowd] }, what);
    told[crowd] = now;
  };
  const dawdler = (crowd: Crowd) => {
    const [first] = waiting[crowd].values();
    return first && performance.now() - first.since >= DAWDLE_MS ? first : null;
  };
  return {
    enter(crowd, cut) {
      if (inside[crowd] >= room[crowd]) {
        const slow = dawdler(crowd);
        if (!slow) {
          refused(crowd);
          tell(crowd, 'overloaded');
          return null;
        }
        tell(crowd, 'overloaded: who dawdles is cut off for others');
        slow.end();
      }
      inside[crowd] += 1;
      let isInside = true;
      const visit: Visit = {
        works: () => void waiting[crowd].delete(visit),
        waits() {
          if (!isInside || crowd === 'streams') return;
          waiting[crowd].delete(visit);
          waiting[crowd].set(visit, {
            since: performance.now(),
            end() {
              visit.leave();
              cut();
            },
          });
        },
        leave() {
          waiting[crowd].delete(visit);
          if (isInside) inside[crowd] -= 1;
          isInside = false;
        },
      };
      visit.waits();
      return visit;
    },
    full: () => CROWDS.filter((crowd) => inside[crowd] >= room[crowd] && dawdler(crowd) === null),
  };
}
