/** What this browser remembers of its session, for the console and the login page. */
import type { OperatorSelf } from '../access/contract.ts';

/**
 * Storage key that distinguishes an expired session from a visitor who never signed in, and tells other tabs that the
 * session has begun or ended.
 */
export const SIGNED_IN_KEY = 'rapport-signed-in';
/** Value that replaces the operator when the session expired. Every tab then returns to its page after login. */
export const EXPIRED_MARK = 'ran-out';
/** Storage key, in this tab only, of the notice that the login page shows once. */
const EXPIRY_NOTICE_KEY = 'rapport-session-expired';

/** Remember who signed in. */
export function recordSignIn(operator: OperatorSelf): void {
  localStorage.setItem(SIGNED_IN_KEY, JSON.stringify(operator));
}

/** Make the login page say that the session has expired. */
export function announceExpiry(): void {
  sessionStorage.setItem(EXPIRY_NOTICE_KEY, 'yes');
}

/** Return whether the login page should say that the session has expired. True once. */
export function takeExpiryNotice(): boolean {
  const isExpired = sessionStorage.getItem(EXPIRY_NOTICE_KEY) !== null;
  sessionStorage.removeItem(EXPIRY_NOTICE_KEY);
  return isExpired;
}
