/** Dependencies of every verb. `app.ts` creates them once; a test's world creates its own. */

import type { Config, Mode } from './config.ts';
import type { Db } from './db.ts';
import type { Claims } from './lease.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { Notifications } from './notifications.ts';
import type { Outbound } from './outbound.ts';
import type { SecretCipher } from './secretCipher.ts';
import type { Threads } from './threads.ts';

export interface AppContext extends Db {
  readonly config: Config;
  readonly mode: Mode;
  readonly log: Log;
  readonly cipher: SecretCipher;
  readonly outbound: Outbound;
  /** For calls of models only: they may be in this network. */
  readonly modelOutbound: Outbound;
  readonly notifications: Notifications;
  readonly threads: Threads;
  readonly metrics: Metrics;
  /** Id of this run of the process; its leases depend on its heartbeat. */
  readonly instanceId: string;
  readonly claims: Claims;
}
