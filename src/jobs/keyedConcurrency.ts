/**
 * Lanes: work that waits for somebody outside goes on beside the job that called for it, a few at a time for each one
 * that is waited for. Who hangs keeps those waiting who wait for him, and no job, whatever their number. [Without lanes:
 * 16 dialogues of a model that hangs held all 16 jobs, and nobody was received, answered or sent to meanwhile.]
 */

export interface KeyedConcurrency {
  /** Begins the work now, or when a place in its lane is free. Work of a key that waits already is not doubled. */
  submit(queue: string, key: string, work: () => Promise<void>): void;
  /** Whether work of this key waits for a place. */
  isWaiting(key: string): boolean;
  /** What each lane has in hand and waiting, the fullest first. */
  states(): QueueState[];
  /** Begins nothing more; resolves when what has begun has ended. */
  stop(): Promise<void>;
}

export interface QueueState {
  readonly name: string;
  readonly running: number;
  readonly waiting: number;
}

interface Queue {
  running: number;
  /** By key, oldest first. */
  readonly waiting: Map<string, () => Promise<void>>;
}

/** What a lane lets wait; beyond that the next sweep brings it again. */
const MAX_WAITING = 1000;

/**
 * @param width how many run at once in a lane
 * @param failed told what work throws: nobody else hears of it
 * @param counted told how much work runs and waits, whenever that changes
 */
export function createKeyedConcurrency(
  concurrency: number,
  onError: (error: unknown) => void,
  onCount: (count: number) => void = () => undefined,
): KeyedConcurrency {
  const queues = new Map<string, Queue>();
  const waitingKeys = new Set<string>();
  const running = new Set<Promise<void>>();
  let stopped = false;
  const count = (): void => onCount(running.size + waitingKeys.size);

  function start(name: string, queue: Queue, work: () => Promise<void>): void {
    queue.running += 1;
    const one = work()
      .catch(onError)
      .then(() => {
        running.delete(one);
        queue.running -= 1;
        startNext(name, queue);
        count();
      });
    running.add(one);
    count();
  }

  function startNext(name: string, queue: Queue): void {
    const [first] = queue.waiting;
    if (stopped || first === undefined) {
      if (queue.running === 0) queues.delete(name);
      return;
    }
    const [key, work] = first;
    queue.waiting.delete(key);
    waitingKeys.delete(key);
    start(name, queue, work);
  }

  return {
    submit(name, key, work) {
      if (stopped || waitingKeys.has(key)) return;
      const queue = queues.get(name) ?? { running: 0, waiting: new Map() };
      queues.set(name, queue);
      if (queue.running < concurrency) return start(name, queue, work);
      if (queue.waiting.size >= MAX_WAITING) return;
      queue.waiting.set(key, work);
      waitingKeys.add(key);
      count();
    },
    isWaiting: (key) => waitingKeys.has(key),
    states: () =>
      [...queues]
        .map(([name, { running: busy, waiting }]) => ({ name, running: busy, waiting: waiting.size }))
        .sort((a, b) => b.running + b.waiting - a.running - a.waiting),
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}
