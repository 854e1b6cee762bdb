/**
 * Lanes: work that waits for somebody outside goes on beside the job that called for it, a few at a time for each one
 * that is waited for. Who hangs keeps those waiting who wait for him, and no job, whatever their number. [Without lanes:
 * 16 dialogues of a model that hangs held all 16 jobs, and nobody was received, answered or sent to meanwhile.]
 */

export interface Lanes {
  /** Begins the work now, or when a place in its lane is free. Work of a key that waits already is not doubled. */
  enter(lane: string, key: string, work: () => Promise<void>): void;
  /** Whether work of this key waits for a place. */
  isWaiting(key: string): boolean;
  /** What each lane has in hand and waiting, the fullest first. */
  states(): LaneState[];
  /** Begins nothing more; resolves when what has begun has ended. */
  stop(): Promise<void>;
}

export interface LaneState {
  readonly name: string;
  readonly running: number;
  readonly waiting: number;
}

interface Lane {
  running: number;
  /** By key, oldest first. */
  readonly waiting: Map<string, () => Promise<void>>;
}

/** What a lane lets wait; beyond that the next sweep brings it again. */
const MOST_WAITING = 1000;

/**
 * @param width how many run at once in a lane
 * @param failed told what work throws: nobody else hears of it
 * @param counted told how much work runs and waits, whenever that changes
 */
export function createLanes(
  width: number,
  failed: (error: unknown) => void,
  counted: (count: number) => void = () => undefined,
): Lanes {
  const lanes = new Map<string, Lane>();
  const waitingKeys = new Set<string>();
  const running = new Set<Promise<void>>();
  let stopped = false;
  const count = (): void => counted(running.size + waitingKeys.size);

  function begin(name: string, lane: Lane, work: () => Promise<void>): void {
    lane.running += 1;
    const one = work()
      .catch(failed)
      .then(() => {
        running.delete(one);
        lane.running -= 1;
        beginNext(name, lane);
        count();
      });
    running.add(one);
    count();
  }

  function beginNext(name: string, lane: Lane): void {
    const [first] = lane.waiting;
    if (stopped || first === undefined) {
      if (lane.running === 0) lanes.delete(name);
      return;
    }
    const [key, work] = first;
    lane.waiting.delete(key);
    waitingKeys.delete(key);
    begin(name, lane, work);
  }

  return {
    enter(name, key, work) {
      if (stopped || waitingKeys.has(key)) return;
      const lane = lanes.get(name) ?? { running: 0, waiting: new Map() };
      lanes.set(name, lane);
      if (lane.running < width) return begin(name, lane, work);
      if (lane.waiting.size >= MOST_WAITING) return;
      lane.waiting.set(key, work);
      waitingKeys.add(key);
      count();
    },
    isWaiting: (key) => waitingKeys.has(key),
    states: () =>
      [...lanes]
        .map(([name, { running: busy, waiting }]) => ({ name, running: busy, waiting: waiting.size }))
        .sort((a, b) => b.running + b.waiting - a.running - a.waiting),
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}
