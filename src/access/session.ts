/**
 * Lookup of callers by session cookie. Sessions are cached for some seconds, because every request needs one. The cache
 * is cleared at once when any session, operator or membership changes on any node, and is not used while notifications
 * are disconnected.
 */
import { hash } from 'node:crypto';
import type { AppContext } from '../platform/appContext.ts';
import type { Caller, OwnerLookup, SessionUse } from '../platform/http/caller.ts';
import { lockRights } from './lockRights.ts';
import { findSession, touchSession } from './store/sessions.ts';

const REMEMBER_MS = 15_000;
/** Milliseconds between two records of a session's last use. */
const TOUCH_MS = 60_000;
const MAX_CACHED = 10_000;
/** Seconds for which a proof by password or passkey is valid. */
const REAUTHENTICATION_SECONDS = 900;

/** Whether a lookup is caused by the operator. Requests that an open console sends by itself keep no session alive. */
export type SessionUseKind = 'active' | 'background';

export interface Sessions {
  /** Return the cached caller of this session token; undefined if `find` must read from or write to the database. */
  findCached(token: string, use: SessionUseKind): Caller | undefined;
  /** Return the caller of this session token, or null. */
  find(token: string, use: SessionUseKind): Promise<Caller | null>;
  /** Clear this node's cache. */
  forget(): void;
}

interface CachedSession {
  readonly caller: Caller;
  readonly at: number;
  /** When the last use was recorded; null if not since the session was cached. */
  touchedAt: number | null;
}

export function createSessions(context: AppContext): Sessions {
  const cache = new Map<string, CachedSession>();
  // Counts the changes: a lookup that started before a change must not be cached after it.
  let generation = 0;
  const forget = () => {
    generation++;
    cache.clear();
  };
  context.notifications.on('access_changed', forget, forget);

  const keyOf = (token: string): string => hash('sha256', token, 'base64');
  const isTouched = ({ touchedAt }: CachedSession, use: SessionUseKind): boolean =>
    use === 'background' || (touchedAt !== null && performance.now() - touchedAt < TOUCH_MS);

  function readCached(key: string): CachedSession | undefined {
    const session = cache.get(key);
    return session && context.notifications.isConnected && performance.now() - session.at < REMEMBER_MS
      ? session
      : undefined;
  }

  async function lookUp(key: string, tokenHash: Buffer): Promise<CachedSession | null> {
    const generationBefore = generation;
    const now = performance.now();
    const owner = await findSession(context.authReader, tokenHash);
    if (!owner) {
      cache.delete(key);
      return null;
    }
    const caller: Caller = {
      id: owner.id,
      login: owner.login,
      admin: owner.role === 'admin',
      companies: owner.role === 'admin' ? null : owner.companies,
      sessionId: owner.session_id,
      mustChangePassword: owner.must_change_password,
      mustEnrol: owner.must_enrol,
      reauthenticatedUntil: now + (REAUTHENTICATION_SECONDS - owner.proved_seconds) * 1000,
      lockRights: (tx, about) => lockRights(tx, caller, about),
    };
    const session: CachedSession = { caller, at: now, touchedAt: cache.get(key)?.touchedAt ?? null };
    if (cache.size >= MAX_CACHED) cache.clear();
    if (generationBefore === generation) cache.set(key, session);
    return session;
  }

  return {
    forget,
    findCached(token, use) {
      const session = readCached(keyOf(token));
      return session && isTouched(session, use) ? session.caller : undefined;
    },
    async find(token, use) {
      const key = keyOf(token);
      const tokenHash = Buffer.from(key, 'base64');
      const session = readCached(key) ?? (await lookUp(key, tokenHash));
      if (session && !isTouched(session, use)) {
        session.touchedAt = performance.now();
        await touchSession(context.authReader, tokenHash);
      }
      return session?.caller ?? null;
    },
  };
}

/** Create the lookup of a request's caller by session cookie. Without a cookie there is nothing to look up. */
export function sessionLookup(sessions: Sessions, cookieName: string): OwnerLookup<SessionUse, Caller> {
  const kindOf = ({ isActive: isWork }: SessionUse): SessionUseKind => (isWork ? 'active' : 'background');
  return {
    findCached(use) {
      const token = use.request.cookies[cookieName];
      return token ? sessions.findCached(token, kindOf(use)) : null;
    },
    async find(use) {
      const token = use.request.cookies[cookieName];
      return token ? sessions.find(token, kindOf(use)) : null;
    },
  };
}
