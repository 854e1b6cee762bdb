/**
 * Admission control. Requests are classed by what they wait for: our own database, outside services, a login, a session
 * lookup, vendors' webhooks, unknown callers, and connections that stay open. Each class has its own capacity, and
 * within it each party (operator, company, account, address) has a share, so neither a class nor a party can crowd out
 * the others.
 * A request counts as inside from the moment its caller is known until its answer is sent, and as running while its
 * handler works. Requests that are inside but not running wait in a bounded queue; the party with the fewest running
 * requests is next. A request that finds no capacity is refused at once with Retry-After: 429 if its own share is used
 * up, 503 if the node is full.
 */
import { availableParallelism } from 'node:os';
import type { AppContext } from '../appContext.ts';
import type { Config } from '../config.ts';
import type { Endpoint } from '../contract.ts';
import type { Log } from '../log.ts';
import { commonRefusals, type Refusal, refuse } from '../refuse.ts';

const CLASSES = ['session', 'login', 'calls', 'outside', 'hooks', 'public', 'streams'] as const;
export type RequestClass = (typeof CLASSES)[number];

const KINDS = ['operator', 'company', 'account', 'address'] as const;
type PartyKind = (typeof KINDS)[number];
/** The party behind a request, as far as known: `operator:7`, `company:3`, `account:5`, `address:192.0.2.1`. */
export type Party = `${PartyKind}:${string}`;

interface Capacity {
  /** Number of requests that may be inside at once, running or waiting. */
  readonly inside: number;
  readonly running: number;
}
interface ClassCapacity extends Capacity {
  /** Limits for one party. A kind that is not listed has no limit of its own. */
  readonly shares: Readonly<Partial<Record<PartyKind, Capacity>>>;
}
export type Capacities = Readonly<Record<RequestClass, ClassCapacity>>;

/** A request that was admitted. */
export interface AdmissionSlot {
  /**
   * Count the request for one more party, known only now. If it is running and exceeds what that party may run, it
   * waits again. Reject with a refusal if the party's share is used up.
   */
  addParty(party: Party): Promise<void>;
  /** Resolve when the handler may run. Reject with a refusal if that takes too long. */
  waitToRun(): Promise<void>;
  /** Mark the handler as done: the answer is on its way. */
  finish(): void;
  /** May be called more than once. */
  release(): void;
}

export interface Admission {
  /** Admit a request. Throw a refusal if there is no capacity for it. */
  admit(requestClass: RequestClass, parties: readonly Party[]): AdmissionSlot;
  /** Return the classes that are full now. */
  fullClasses(): RequestClass[];
}

/** Quiet time after which an overload is logged again. It is always logged when it begins. */
const LOG_QUIET_MS = 10_000;
/** Seconds after which a refused request may be retried. */
const RETRY_SECONDS = 2;

/**
 * Return the class of an endpoint's requests; null for probes, which are always answered, and for sandbox endpoints.
 */
export function classOf(endpoint: Endpoint): RequestClass | null {
  if (endpoint.load === 'probe' || endpoint.access === 'sandbox') return null;
  if (endpoint.socket || endpoint.load === 'stream') return 'streams';
  if (endpoint.load === 'call') return 'calls';
  return endpoint.load === 'hook' ? 'hooks' : endpoint.load;
}

/**
 * Compute the capacity of each class. At most as many call handlers run at once as there are database connections:
 * requests wait here, where shares count, and not for a connection, where only the order of arrival counts. One
 * operator or company leaves a quarter of the connections to others.
 */
export function capacitiesOf({
  limits,
  databaseConnections,
}: Pick<Config, 'limits' | 'databaseConnections'>): Capacities {
  const part = (whole: number, of: number): number => Math.max(1, Math.floor(whole * of));
  const all = (most: number): Capacity => ({ inside: most, running: most });
  const { hooks, calls, outside, logins, streams } = limits;
  const running = Math.min(calls, databaseConnections);
  const busy = part(running, 3 / 4);
  return {
    // Session checks are short: each takes one index lookup.
    session: { inside: 1000, running: 8, shares: { operator: { inside: 100, running: 4 }, address: all(500) } },
    // Checking a password takes a core for a tenth of a second. One core is left to everything else.
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
      shares: { operator: all(limits.streamsOfOperator), company: all(part(streams, 1 / 2)) },
    },
  };
}

interface QueuedRequest {
  readonly parties: readonly Party[];
  readonly start: () => void;
}

class Load {
  inside = 0;
  running = 0;
}

interface AdmissionOptions {
  readonly log: Log;
  /** Milliseconds that an admitted request may wait for its handler. */
  readonly timeoutMs: number;
  readonly onRefused: (requestClass: RequestClass) => void;
}

export function createAdmission(capacities: Capacities, options: AdmissionOptions): Admission {
  const classes = new Map(CLASSES.map((one) => [one, createClass(one, capacities[one], options)]));
  return {
    admit(requestClass, parties) {
      const classAdmission = classes.get(requestClass);
      if (!classAdmission) throw new Error(`No class ${requestClass}`);
      return classAdmission.enter(parties);
    },
    fullClasses: () => CLASSES.filter((one) => classes.get(one)?.isFull() === true),
  };
}

/** Create the admission control of a node from its settings. */
export function admissionOf({ config, log, metrics }: Pick<AppContext, 'config' | 'log' | 'metrics'>): Admission {
  return createAdmission(capacitiesOf(config), {
    log,
    timeoutMs: config.databaseWaitSeconds * 1000,
    onRefused: (requestClass) => metrics.refused.inc({ class: requestClass }),
  });
}

const kindOf = (party: Party): PartyKind | undefined => KINDS.find((kind) => party.startsWith(`${kind}:`));

/** Count the requests of each party in a class. */
function countParties(capacity: ClassCapacity) {
  const counts = new Map<Party, Load>();
  const shareOf = (party: Party): Capacity | undefined => capacity.shares[kindOf(party) ?? 'address'];
  return {
    shareOf,
    /** Report whether this party's share has no room for one more request. */
    isAtLimit: (party: Party, what: keyof Capacity): boolean => {
      const share = shareOf(party);
      return share !== undefined && (counts.get(party)?.[what] ?? 0) >= share[what];
    },
    add: (party: Party, what: keyof Capacity, by: 1 | -1): void => {
      const count = counts.get(party) ?? new Load();
      count[what] += by;
      if (count.inside + count.running > 0) counts.set(party, count);
      else counts.delete(party);
    },
    runningOf: (party: Party): number => counts.get(party)?.running ?? 0,
  };
}

function createClass(name: RequestClass, capacity: ClassCapacity, { log, timeoutMs, onRefused }: AdmissionOptions) {
  const total = new Load();
  const counts = countParties(capacity);
  const { shareOf, isAtLimit, runningOf } = counts;
  const queue = new Set<QueuedRequest>();
  let loggedAt = -Infinity;

  function refuseRequest(exhaustedParty: Party | undefined): Refusal {
    onRefused(name);
    const now = performance.now();
    if (now - loggedAt > LOG_QUIET_MS)
      log.warn({ class: name, inside: total.inside, share: exhaustedParty }, 'overloaded');
    loggedAt = now;
    return refuse(commonRefusals, exhaustedParty === undefined ? 'overloaded' : 'too_many_requests', {
      retryAfter: RETRY_SECONDS,
    });
  }

  const mayRun = (parties: readonly Party[]): boolean =>
    total.running < capacity.running && !parties.some((one) => isAtLimit(one, 'running'));

  /**
   * Start the requests that may run now: first the one whose party has the fewest running, then in order of arrival.
   */
  function startNext(): void {
    while (queue.size > 0 && total.running < capacity.running) {
      let next: QueuedRequest | null = null;
      let fewest = Infinity;
      for (const one of queue) {
        if (!mayRun(one.parties)) continue;
        const busy = Math.max(0, ...one.parties.map(runningOf));
        if (busy < fewest) [next, fewest] = [one, busy];
      }
      if (!next) return;
      queue.delete(next);
      next.start();
    }
  }

  function admit(first: readonly Party[]): AdmissionSlot {
    const parties = first.filter((one) => shareOf(one) !== undefined);
    const exhaustedParty = parties.find((one) => isAtLimit(one, 'inside'));
    if (exhaustedParty !== undefined || total.inside >= capacity.inside) throw refuseRequest(exhaustedParty);
    return createSlot({ ...counts, total, queue, timeoutMs, mayRun, startNext, refuseRequest }, parties);
  }
  return { enter: admit, isFull: () => total.inside >= capacity.inside };
}

interface ClassState extends ReturnType<typeof countParties> {
  readonly total: Load;
  readonly queue: Set<QueuedRequest>;
  readonly timeoutMs: number;
  readonly mayRun: (parties: readonly Party[]) => boolean;
  readonly startNext: () => void;
  readonly refuseRequest: (exhaustedParty: Party | undefined) => Refusal;
}

/** Let a request of these parties in. */
function createSlot(state: ClassState, parties: Party[]): AdmissionSlot {
  const { total, add, isAtLimit, shareOf, queue, timeoutMs, mayRun, startNext, refuseRequest } = state;
  total.inside += 1;
  for (const one of parties) add(one, 'inside', 1);
  let isInside = true;
  let isRunning = false;
  let rejectWaiting: ((reason: Refusal) => void) | null = null;

  const start = (): void => {
    isRunning = true;
    total.running += 1;
    for (const one of parties) add(one, 'running', 1);
  };
  const finish = (): void => {
    if (!isRunning) return;
    isRunning = false;
    total.running -= 1;
    for (const one of parties) add(one, 'running', -1);
    startNext();
  };
  const waitToRun = async (): Promise<void> => {
    // The request was released: its answer is no longer awaited.
    if (!isInside) throw refuse(commonRefusals, 'overloaded', { retryAfter: RETRY_SECONDS });
    if (isRunning) return;
    // No queued request may run now, or it would be running already: see `startNext`.
    if (mayRun(parties)) return start();
    await new Promise<void>((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(late);
        queue.delete(queued);
        rejectWaiting = null;
      };
      const queued: QueuedRequest = {
        parties,
        start() {
          settle();
          start();
          resolve();
        },
      };
      rejectWaiting = (reason) => {
        settle();
        reject(reason);
      };
      const late = setTimeout(
        () => rejectWaiting?.(refuseRequest(parties.find((one) => isAtLimit(one, 'running')))),
        timeoutMs,
      );
      queue.add(queued);
    });
  };
  return {
    async addParty(party) {
      if (!isInside || parties.includes(party) || shareOf(party) === undefined) return;
      if (isAtLimit(party, 'inside')) throw refuseRequest(party);
      const waitsAgain = isRunning && isAtLimit(party, 'running');
      if (waitsAgain) finish();
      parties.push(party);
      add(party, 'inside', 1);
      if (isRunning) add(party, 'running', 1);
      if (waitsAgain) await waitToRun();
    },
    waitToRun,
    finish,
    release() {
      rejectWaiting?.(refuse(commonRefusals, 'overloaded', { retryAfter: RETRY_SECONDS }));
      finish();
      if (!isInside) return;
      isInside = false;
      total.inside -= 1;
      for (const one of parties) add(one, 'inside', -1);
    },
  };
}
