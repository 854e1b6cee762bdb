/**
 * Who is behind a session cookie. Remembered for some seconds, since every request asks; forgotten at once when any
 * session, operator or membership changes anywhere, and not remembered at all while we cannot hear of changes.
 */
import { hash } from 'node:crypto';
import type { Ground } from '../platform/ground.ts';
import type { Caller } from '../platform/http/caller.ts';
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

  async function lookUp(key: string, tokenHash: Buffer, now: number): Promise<Known | null> {
    const remembered = known.get(key);
    if (remembered && ground.live.healthy && now - remembered.at < REMEMBER_MS) return remembered;
    const begun = generation;
    const owner = await findSession(ground.reader, tokenHash);
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
      mustEnrol: owner.must_enrol,
      provedUntil: now + (PROOF_SECONDS - owner.proved_seconds) * 1000,
    };
    const found: Known = { caller, at: now, touchedAt: remembered?.touchedAt ?? null };
    if (known.size >= MOST) known.clear();
    if (begun === generation) known.set(key, found);
    return found;
  }

  return {
    forget,
    async find(token, use) {
      const key = hash('sha256', token, 'base64');
      const tokenHash = Buffer.from(key, 'base64');
      const now = performance.now();
      const found = await lookUp(key, tokenHash, now);
      if (found && use === 'active' && (found.touchedAt === null || now - found.touchedAt >= TOUCH_MS)) {
        found.touchedAt = now;
        await touchSession(ground.reader, tokenHash);
      }
      return found?.caller ?? null;
    },
  };
}
