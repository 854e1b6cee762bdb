/** Why the sync of an account stopped. */
export interface SyncFailure {
  readonly kind: 'away' | 'refused' | 'reconnect';
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
}

export const toFailure = (answer: {
  kind: string;
  reason?: string;
  retryAfterSeconds?: number | null;
}): SyncFailure => ({
  kind: answer.kind === 'reconnect' || answer.kind === 'refused' ? answer.kind : 'away',
  reason: answer.reason ?? 'amoCRM does not know this address',
  retryAfterSeconds: answer.retryAfterSeconds ?? null,
});
