/** Limits from which a figure needs attention or is bad, declared once for all users. */
import type { FigureKey, Level, SystemHealth } from './contract.ts';

interface Limits {
  readonly look: number;
  readonly bad: number;
}

/** Limits of the figures. A figure without limits is shown but not rated: a long queue that moves is no problem. */
const LIMITS: Readonly<Partial<Record<FigureKey, Limits>>> = {
  database_ms: { look: 100, bad: 1000 },
  // Percentage of the connections that the server allows.
  database_connections: { look: 70, bad: 90 },
  database_transaction_seconds: { look: 60, bad: 600 },
  migrations_missing: { look: 1, bad: 1 },
  sweep_seconds: { look: 30, bad: 120 },
  messages_due_seconds: { look: 120, bad: 900 },
  messages_failed: { look: 1, bad: 500 },
  messages_unconfirmed: { look: 1, bad: 100 },
  messages_refused: { look: 10, bad: 500 },
  inbox_open_seconds: { look: 15, bad: 120 },
  inbox_held: { look: 1000, bad: 20_000 },
  turns_due_seconds: { look: 60, bad: 300 },
  turns_failed: { look: 1, bad: 100 },
  classifications_failed: { look: 1, bad: 500 },
  outreach_due_seconds: { look: 120, bad: 900 },
  crm_wishes_seconds: { look: 300, bad: 3600 },
  crm_refused: { look: 1, bad: 100 },
  crm_changes_seconds: { look: 300, bad: 3600 },
  opt_outs_due_seconds: { look: 60, bad: 900 },
};

const between = (value: number, { look, bad }: Limits): Level =>
  value >= bad ? 'bad' : value >= look ? 'look' : 'fine';

export function levelOf(key: FigureKey, value: number): Level {
  const limits = LIMITS[key];
  return limits === undefined ? 'fine' : between(value, limits);
}

export function levelOfSweep({ seconds, error }: { seconds: number; error: string | null }): Level {
  const late = levelOf('sweep_seconds', seconds);
  return late === 'fine' && error !== null ? 'look' : late;
}

/** Rate a node. After `leaseSeconds` without a heartbeat it counts as dead. An instance that has ended is fine. */
export function levelOfNode(node: { beat_seconds: number; ended_at: string | null }, leaseSeconds: number): Level {
  if (node.ended_at !== null) return 'fine';
  return between(node.beat_seconds, { look: leaseSeconds / 2, bad: leaseSeconds });
}

/** Rate dialogues that need a person; `late`: how many have waited for longer than the target. */
export function levelOfWaiting({ count, late }: { count: number; late: number }): Level {
  return late > 0 ? 'bad' : count > 0 ? 'look' : 'fine';
}

/** Rate dialogues of colleagues that have waited for longer than the target: the colleague may be away. */
export const levelOfLateElsewhere = (late: number): Level => between(late, { look: 1, bad: Number.POSITIVE_INFINITY });

/** Rate connections to the CRM by how many have ended: nothing goes there until they are renewed. */
export const levelOfIntegrations = (ended: number): Level => between(ended, { look: 1, bad: 1 });

/** Rate a channel in use. `isRejected`: its key is no longer accepted. */
export function levelOfChannel(channel: { isRejected: boolean; isPaused: boolean; isConnected: boolean }): Level {
  if (channel.isRejected || !channel.isConnected) return 'bad';
  return channel.isPaused ? 'look' : 'fine';
}

const UNACKNOWLEDGED: Limits = { look: 10, bad: 1000 };

type Vendor = Omit<SystemHealth['vendors'][number], 'level'>;

/** Rate a vendor's account. `dead` means that its key is no longer accepted. */
export function levelOfVendor(vendor: Vendor, dead: boolean): Level {
  const isPaused = vendor.rest_reason !== null;
  const sending = levelOfChannel({ isRejected: dead, isPaused, isConnected: true });
  if (sending !== 'fine') return sending;
  const failing = (vendor.last_error_at ?? '') > (vendor.last_accepted_at ?? '');
  return failing ? 'look' : between(vendor.unacknowledged, UNACKNOWLEDGED);
}

const ERRORS_PERCENT: Limits = { look: 5, bad: 25 };
const P95_MS: Limits = { look: 30_000, bad: 90_000 };
/** Number of calls below which a share of errors is not bad: it says too little. */
const ENOUGH_CALLS = 4;

export function levelOfModel({ calls, errors, p95_ms }: { calls: number; errors: number; p95_ms: number }): Level {
  const share = between((errors / Math.max(calls, 1)) * 100, ERRORS_PERCENT);
  return worst([calls < ENOUGH_CALLS && share === 'bad' ? 'look' : share, between(p95_ms, P95_MS)]);
}

export function worst(levels: readonly Level[]): Level {
  if (levels.includes('bad')) return 'bad';
  return levels.includes('look') ? 'look' : 'fine';
}
