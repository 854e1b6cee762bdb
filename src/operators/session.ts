/**
 * Who is behind a session cookie. Remembered for some seconds, since every request asks; forgotten at once when any
 * session, operator or membership changes anywhere, and not remembered at all while we cannot hear of changes.
 */
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Ground } from '../platform/ground.ts';
import type { Caller, Check } from '../platform/http/caller.ts';
import { findSession, touchSession } from './store.ts';

const REMEMBER_MS = 15_000;
const MOST = 10_000;

export interface Sessions {
  /** The caller of this session token as far as this node remembers; undefined: `find` has to ask the database. */
  recall(token: string): Caller | undefined;
  /** The caller of this session token, or null. */
  find(token: string): Promise<Caller | null>;
  /** Forgets what this node remembers. */
  forget(): void;
}

export function createSessions(ground: Ground): Sessions {
  const known = new Map<string, { caller: Caller; at: number }>();
  // A look-up that began before a change must not be remembered after it.
  let generation = 0;
  const forget = () => {
    generation++;
    known.clear();
  };
  ground.live.on('forget', forget, forget);
  const keyOf = (token: string): string => hash('sha256', token, 'base64');
  function recall(key: string): Caller | undefined {
    const remembered = known.get(key);
    const isFresh = remembered && ground.live.healthy && performance.now() - remembered.at < REMEMBER_MS;
    return isFresh ? remembered.caller : undefined;
  }
  return {
    forget,
    recall: (token) => recall(keyOf(token)),
    async find(token) {
      const key = keyOf(token);
      const now = performance.now();
      const remembered = recall(key);
      if (remembered) return remembered;
      const begun = generation;
      const tokenHash = Buffer.from(key, 'base64');
      const owner = await findSession(ground.access, tokenHash);
      if (!owner) {
        known.delete(key);
        return null;
      }
      await touchSession(ground.access, tokenHash);
      const caller: Caller = {
        id: owner.id,
        login: owner.login,
        admin: owner.role === 'admin',
        companies: owner.role === 'admin' ? null : owner.companies,
      };
      if (known.size >= MOST) known.clear();
      if (begun === generation) known.set(key, { caller, at: now });
      return caller;
    },
  };
}

/** Who has sent a request, by its session cookie. Without one there is nothing to look up. */
export function sessionCheck(sessions: Sessions, cookieName: string): Check<FastifyRequest, Caller> {
  return {
    recall({ cookies }) {
      const token = cookies[cookieName];
      return token ? sessions.recall(token) : null;
    },
    async find({ cookies }) {
      const token = cookies[cookieName];
      return token ? sessions.find(token) : null;
    },
  };
}
