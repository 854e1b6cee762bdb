/** What every verb stands on. Made once in `main.ts`; a test's world makes its own. */
import type { Config, Mode } from './config.ts';
import type { Db } from './db.ts';
import type { Hand } from './hand.ts';
import type { Live } from './live.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Outbound } from './outbound.ts';
import type { Seal } from './seal.ts';
import type { Threads } from './threads.ts';

export interface Ground extends Db {
  readonly config: Config;
  readonly mode: Mode;
  readonly log: Log;
  readonly seal: Seal;
  readonly outbound: Outbound;
  readonly live: Live;
  readonly threads: Threads;
  readonly metrics: Metrics;
  /** This life of this node: leases hang on its heartbeat. */
  readonly life: string;
  readonly hand: Hand;
}
