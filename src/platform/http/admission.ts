/**
 * Admission control. Requests are classed by what they wait for: the own database, outside services, a login, a session
 * look-up, vendors' hooks, callers that nobody knows, and what stays open. Each class has room of its own, and within it
 * each party (operator, company, account, address) a share, so that neither a class nor a party takes the place of others.
 * A request counts as inside from when it is known who asks until its answer is sent; as running while its handler works.
 * Those that are inside and not running wait in a bounded queue: the party with the fewest running is next. What finds no
 * room is refused at once with Retry-After: 429 where its own share is used up, 503 where the node is full.
 */
import { availableParallelism } from 'node:os';
import type { Config } from '../config.ts';
import type { Endpoint } from '../contract.ts';
import type { Ground } from '../ground.ts';
import type { Log } from '../log.ts';
import { commonRefusals, type Refusal, refuse } from '../refuse.ts';

const CLASSES = ['session', 'login', 'calls', 'outside', 'hooks', 'public', 'streams'] as const;
export type RequestClass = (typeof CLASSES)[number];

const KINDS = ['operator', 'company', 'account', 'address'] as const;
type PartyKind = (typeof KINDS)[number];
/** Who is behind a request, as far as known: `operator:7`, `company:3`, `account:5`, `address:192.0.2.1`. */
export type Party = `${PartyKind}:${string}`;

interface Room {
  /** How many may be inside at once, running or waiting. */
  readonly inside: number;
  readonly running: number;
}
interface ClassRoom extends Room {
  /** What one party may have of it. Kinds that are not named have no limit of their own. */
  readonly shares: Readonly<Partial<Record<PartyKind, Room>>>;
}
export type Rooms = Readonly<Record<RequestClass, ClassRoom>>;

/** A request that is inside. */
export interface Place {
  /**
   * Counts it for one more party, known only now. A running one that exceeds what that party may run waits again. Rejects
   * with a refusal when that party's share is used up.
   */
  join(party: Party): Promise<void>;
  /** Resolves when its handler may work. Rejects with a refusal when that takes too long. */
  run(): Promise<void>;
  /** Its handler has done its work: the answer is on its way. */
  rest(): void;
  /** May be called more than once. */
  leave(): void;
}

export interface Admission {
  /** Lets a request in. Throws a refusal when there is no room for it. */
  enter(requestClass: RequestClass, parties: readonly Party[]): Place;
  /** The classes that have no room now. */
  full(): RequestClass[];
}

/** An overload is logged when it begins, and again when there was none for so long. */
const QUIET_MS = 10_000;
/** When whoever found no room may try again. */
const RETRY_SECONDS = 2;

/** The class of an endpoint's requests; null: probes, which have to be answered whatever there is, and the sandbox's own. */
export function classOf(endpoint: Endpoint): RequestClass | null {
  if (endpoint.load === 'probe' || endpoint.access === 'sandbox') return null;
  if (endpoint.socket || endpoint.load === 'stream') return 'streams';
  if (endpoint.load === 'call') return 'calls';
  return endpoint.load === 'hook' ? 'hooks' : endpoint.load;
}

/**
 * The room of each class. Handlers of calls run as many at once as there are connections to the database: who waits, waits
 * here, where shares count, and not for a connection, where the order of arrival does. One operator or company leaves a
 * quarter of the connections to others.
 */
export function roomsOf({ room, databaseConnections }: Pick<Config, 'room' | 'databaseConnections'>): Rooms {
  const part = (whole: number, of: number): number => Math.max(1, Math.floor(whole * of));
  const all = (most: number): Room => ({ inside: most, running: most });
  const { hooks, calls, outside, logins, streams } = room;
  const running = Math.min(calls, databaseConnections);
  const busy = part(running, 3 / 4);
  return {
    // Some are in doubt for a moment only: each takes one look at an index.
    session: { inside: 1000, running: 8, shares: { operator: { inside: 100, running: 4 }, address: all(500) } },
    // The check of a password takes a core for a tenth of a second: one is left to everything else.
    login: {
      inside: logins,
      running: Math.min(4, Math.max(1, availableParallelism() - 1)),
      shares: { address: { inside: part(logins, 1 / 2), running: 2 } },
    },
    calls: {
      inside: calls,
      running,
      shares: {
        operator: { inside: part(calls, 1 / 2), running: busy },
        company: { inside: part(calls, 3 / 4), running: busy },
        address: { inside: part(calls, 1 / 2), running: busy },
      },
    },
    outside: {
      ...all(outside),
      shares: {
        operator: { inside: part(outside, 1 / 4), running: part(outside, 1 / 16) },
        company: { inside: part(outside, 1 / 4), running: part(outside, 1 / 8) },
      },
    },
    hooks: { ...all(hooks), shares: { operator: all(part(hooks, 1 / 4)), account: all(part(hooks, 1 / 2)) } },
    public: { ...all(256), shares: { address: all(64) } },
    streams: {
      ...all(streams),
      shares: { operator: all(room.streamsOfOperator), company: all(part(streams, 1 / 2)) },
    },
  };
}

interface Waiting {
  readonly parties: readonly Party[];
  readonly go: () => void;
}

class Count {
  inside = 0;
  running = 0;
}

interface Options {
  readonly log: Log;
  /** How long a request may wait inside for its handler. */
  readonly patienceMs: number;
  readonly onRefused: (requestClass: RequestClass) => void;
}

export function createAdmission(rooms: Rooms, options: Options): Admission {
  const classes = new Map(CLASSES.map((one) => [one, createClass(one, rooms[one], options)]));
  return {
    enter(requestClass, parties) {
      const its = classes.get(requestClass);
      if (!its) throw new Error(`No class ${requestClass}`);
      return its.enter(parties);
    },
    full: () => CLASSES.filter((one) => classes.get(one)?.isFull() === true),
  };
}

/** The admission of a node, as its settings say. */
export function admissionOf({ config, log, metrics }: Pick<Ground, 'config' | 'log' | 'metrics'>): Admission {
  return createAdmission(roomsOf(config), {
    log,
    patienceMs: config.databaseWaitSeconds * 1000,
    onRefused: (crowd) => metrics.refused.inc({ crowd }),
  });
}

const kindOf = (party: Party): PartyKind | undefined => KINDS.find((kind) => party.startsWith(`${kind}:`));

function createClass(name: RequestClass, room: ClassRoom, { log, patienceMs, onRefused }: Options) {
  const whole = new Count();
  const counts = new Map<Party, Count>();
  const queue = new Set<Waiting>();
  let told = -Infinity;

  const shareOf = (party: Party): Room | undefined => room.shares[kindOf(party) ?? 'address'];
  /** Whether one more of this party finds its share used up. */
  const isOver = (party: Party, what: keyof Room): boolean => {
    const share = shareOf(party);
    return share !== undefined && (counts.get(party)?.[what] ?? 0) >= share[what];
  };

  function add(party: Party, what: keyof Room, by: 1 | -1): void {
    const count = counts.get(party) ?? new Count();
    count[what] += by;
    if (count.inside + count.running > 0) counts.set(party, count);
    else counts.delete(party);
  }

  function refused(own: Party | undefined): Refusal {
    onRefused(name);
    const now = performance.now();
    if (now - told > QUIET_MS) log.warn({ class: name, inside: whole.inside, share: own }, 'overloaded');
    told = now;
    return refuse(commonRefusals, own === undefined ? 'overloaded' : 'too_many_requests', {}, RETRY_SECONDS);
  }

  const mayRun = (parties: readonly Party[]): boolean =>
    whole.running < room.running && !parties.some((one) => isOver(one, 'running'));

  /** Starts those that may run now; of several the one whose party has the fewest running, then the first. */
  function startNext(): void {
    while (queue.size > 0 && whole.running < room.running) {
      let next: Waiting | null = null;
      let fewest = Infinity;
      for (const one of queue) {
        if (!mayRun(one.parties)) continue;
        const busy = Math.max(0, ...one.parties.map((party) => counts.get(party)?.running ?? 0));
        if (busy < fewest) [next, fewest] = [one, busy];
      }
      if (!next) return;
      queue.delete(next);
      next.go();
    }
  }

  function enter(first: readonly Party[]): Place {
    const parties = first.filter((one) => shareOf(one) !== undefined);
    const own = parties.find((one) => isOver(one, 'inside'));
    if (own !== undefined || whole.inside >= room.inside) throw refused(own);
    whole.inside += 1;
    for (const one of parties) add(one, 'inside', 1);
    let isInside = true;
    let isRunning = false;
    let giveUp: ((reason: Refusal) => void) | null = null;

    const start = (): void => {
      isRunning = true;
      whole.running += 1;
      for (const one of parties) add(one, 'running', 1);
    };
    const rest = (): void => {
      if (!isRunning) return;
      isRunning = false;
      whole.running -= 1;
      for (const one of parties) add(one, 'running', -1);
      startNext();
    };
    const run = async (): Promise<void> => {
      // Nobody waits for the answer any more.
      if (!isInside) throw refuse(commonRefusals, 'overloaded', {}, RETRY_SECONDS);
      if (isRunning) return;
      // Nobody in the queue may run, or it would: see `startNext`.
      if (mayRun(parties)) return start();
      await new Promise<void>((resolve, reject) => {
        const settle = (): void => {
          clearTimeout(late);
          queue.delete(waiting);
          giveUp = null;
        };
        const waiting: Waiting = {
          parties,
          go() {
            settle();
            start();
            resolve();
          },
        };
        giveUp = (reason) => {
          settle();
          reject(reason);
        };
        const late = setTimeout(() => giveUp?.(refused(parties.find((one) => isOver(one, 'running')))), patienceMs);
        queue.add(waiting);
      });
    };
    return {
      async join(party) {
        if (!isInside || parties.includes(party) || shareOf(party) === undefined) return;
        if (isOver(party, 'inside')) throw refused(party);
        const waitsAgain = isRunning && isOver(party, 'running');
        if (waitsAgain) rest();
        parties.push(party);
        add(party, 'inside', 1);
        if (isRunning) add(party, 'running', 1);
        if (waitsAgain) await run();
      },
      run,
      rest,
      leave() {
        giveUp?.(refuse(commonRefusals, 'overloaded', {}, RETRY_SECONDS));
        rest();
        if (!isInside) return;
        isInside = false;
        whole.inside -= 1;
        for (const one of parties) add(one, 'inside', -1);
      },
    };
  }
  return { enter, isFull: () => whole.inside >= room.inside };
}
