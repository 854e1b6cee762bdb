/**
 * Who is behind a session cookie. Remembered for some seconds, since every request asks; forgotten at once when any
 * session, operator or membership changes anywhere, and not remembered at all while we cannot hear of changes.
 */
import { hash } from 'node:crypto';
import type { Ground } from '../platform/ground.ts';
import type { Caller, Check, SessionUse } from '../platform/http/caller.ts';
import { lockRights } from './lockRights.ts';
import { findSession, touchSession } from './store/sessions.ts';

const REMEMBER_MS = 15_000;
/** A session that is in use is noted as used so often. */
const TOUCH_MS = 60_000;
const MOST = 10_000;
/** So long after a password or passkey was proved it need not be proved again. */
const PROOF_SECONDS = 900;

/** Whether a look-up is the operator at work. What a console left open asks by itself keeps no session alive. */
export type Use = 'active' | 'background';

export interface Sessions {
  /** The caller of this session token as far as this node remembers; undefined: `find` has to ask or tell the database. */
  recall(token: string, use: Use): Caller | undefined;
  /** The caller of this session token, or null. */
  find(token: string, use: Use): Promise<Caller | null>;
  /** Forgets what this node remembers. */
  forget(): void;
}

interface Known {
  readonly caller: Caller;
  readonly at: number;
  /** When it was last noted as used; null: not by this memory. */
  touchedAt: number | null;
}

export function createSessions(ground: Ground): Sessions {
  const known = new Map<string, Known>();
  // A look-up that began before a change must not be remembered after it.
  let generation = 0;
  const forget = () => {
    generation++;
    known.clear();
  };
  ground.live.on('forget', forget, forget);

  const keyOf = (token: string): string => hash('sha256', token, 'base64');
  const isTouched = ({ touchedAt }: Known, use: Use): boolean =>
    use === 'background' || (touchedAt !== null && performance.now() - touchedAt < TOUCH_MS);

  function remembered(key: string): Known | undefined {
    const found = known.get(key);
    return found && ground.live.healthy && performance.now() - found.at < REMEMBER_MS ? found : undefined;
  }

  async function lookUp(key: string, tokenHash: Buffer): Promise<Known | null> {
    const begun = generation;
    const now = performance.now();
    const owner = await findSession(ground.access, tokenHash);
    if (!owner) {
      known.delete(key);
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
      provedUntil: now + (PROOF_SECONDS - owner.proved_seconds) * 1000,
      lockRights: (tx, about) => lockRights(tx, caller, about),
    };
    const found: Known = { caller, at: now, touchedAt: known.get(key)?.touchedAt ?? null };
    if (known.size >= MOST) known.clear();
    if (begun === generation) known.set(key, found);
    return found;
  }

  return {
    forget,
    recall(token, use) {
      const found = remembered(keyOf(token));
      return found && isTouched(found, use) ? found.caller : undefined;
    },
    async find(token, use) {
      const key = keyOf(token);
      const tokenHash = Buffer.from(key, 'base64');
      const found = remembered(key) ?? (await lookUp(key, tokenHash));
      if (found && !isTouched(found, use)) {
        found.touchedAt = performance.now();
        await touchSession(ground.access, tokenHash);
      }
      return found?.caller ?? null;
    },
  };
}

/** Who has sent a request, by its session cookie. Without one there is nothing to look up. */
export function sessionCheck(sessions: Sessions, cookieName: string): Check<SessionUse, Caller> {
  const useOf = ({ isWork }: SessionUse): Use => (isWork ? 'active' : 'background');
  return {
    recall(use) {
      const token = use.request.cookies[cookieName];
      return token ? sessions.recall(token, useOf(use)) : null;
    },
    async find(use) {
      const token = use.request.cookies[cookieName];
      return token ? sessions.find(token, useOf(use)) : null;
    },
  };
}
