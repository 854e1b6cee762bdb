/**
 * Keyed concurrency: work that waits for an outside service runs beside the sweep that started it, a few at a time for
 * each service. A service that hangs delays only the work that waits for it, and never a sweep. [Without it: 16 dialogues
 * of a model that hangs occupied all 16 slots, and no message was received, answered or sent meanwhile.]
 */

export interface KeyedConcurrency {
  /**
   * Start the work now, or when its queue has a free slot. Returns false if it is dropped: its key is already waiting, the
   * queue is full, or nothing more is started.
   */
  submit(queue: string | QueueOptions, key: string, work: () => Promise<void>): boolean;
  /** Return whether work of this key waits or runs. */
  isStarted(key: string): boolean;
  /** Return the running and waiting counts of each queue, the fullest first. */
  states(): QueueState[];
  /** Start nothing more. Resolves when the running work has ended. */
  stop(): Promise<void>;
}

export interface QueueOptions {
  readonly name: string;
  /** How many run at once, if that is less than the concurrency. */
  readonly slots?: number;
  /** Whether the work starts before all that waits in the queue without priority. */
  readonly hasPriority?: boolean;
}

export interface QueueState {
  readonly name: string;
  readonly running: number;
  readonly waiting: number;
}

interface Queue {
  running: number;
  /** Waiting work by key, oldest first: that with priority, and the other. */
  readonly urgent: Map<string, () => Promise<void>>;
  readonly waiting: Map<string, () => Promise<void>>;
}

interface Started {
  readonly name: string;
  readonly queue: Queue;
  readonly key: string;
  readonly work: () => Promise<void>;
}

/** Maximum length of a queue, with and without priority; work beyond it is submitted again by the next sweep. */
const MAX_WAITING = 1000;

/**
 * Create the queues.
 *
 * `concurrency`: how many run at once in a queue, at most. `onError` receives the errors of work: nothing else reports
 * them. `onCount` receives the number of running and waiting pieces of work, whenever it changes.
 */
export function createKeyedConcurrency(
  concurrency: number,
  onError: (error: unknown) => void,
  onCount: (count: number) => void = () => undefined,
): KeyedConcurrency {
  const queues = new Map<string, Queue>();
  const waitingKeys = new Set<string>();
  /** The running work, with its key: several may run under one, since only waiting work is one of its key. */
  const running = new Map<Promise<void>, string>();
  let stopped = false;
  const count = (): void => onCount(running.size + waitingKeys.size);

  function start({ name, queue, key, work }: Started): void {
    queue.running += 1;
    const one = work()
      .catch(onError)
      .then(() => {
        running.delete(one);
        queue.running -= 1;
        startNext(name, queue);
        count();
      });
    running.set(one, key);
    count();
  }

  function startNext(name: string, queue: Queue): void {
    const waiting = queue.urgent.size > 0 ? queue.urgent : queue.waiting;
    const [first] = waiting;
    if (stopped || first === undefined) {
      if (queue.running === 0) queues.delete(name);
      return;
    }
    const [key, work] = first;
    waiting.delete(key);
    waitingKeys.delete(key);
    start({ name, queue, key, work });
  }

  return {
    submit(wanted, key, work) {
      const {
        name,
        slots = concurrency,
        hasPriority = false,
      }: QueueOptions = typeof wanted === 'string' ? { name: wanted } : wanted;
      if (stopped || waitingKeys.has(key)) return false;
      const queue = queues.get(name) ?? { running: 0, urgent: new Map(), waiting: new Map() };
      queues.set(name, queue);
      if (queue.running < Math.min(slots, concurrency)) {
        start({ name, queue, key, work });
        return true;
      }
      const waiting = hasPriority ? queue.urgent : queue.waiting;
      if (waiting.size >= MAX_WAITING) return false;
      waiting.set(key, work);
      waitingKeys.add(key);
      count();
      return true;
    },
    isStarted: (key) => waitingKeys.has(key) || running.values().some((one) => one === key),
    states: () =>
      [...queues]
        .map(([name, { running: busy, urgent, waiting }]) => ({
          name,
          running: busy,
          waiting: urgent.size + waiting.size,
        }))
        .sort((a, b) => b.running + b.waiting - a.running - a.waiting),
    async stop() {
      stopped = true;
      await Promise.all(running.keys());
    },
  };
}
