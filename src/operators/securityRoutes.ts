/** One's own sessions, second factors and confirmation, and the installation's rule for sign-ins. */
import { recordDeed } from '../platform/audit.ts';
import type { Ground } from '../platform/ground.ts';
import type { Call } from '../platform/http/routes.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { fingerprint } from '../platform/ids.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { type AuthEvent, recordAuthEvent } from './authEvents.ts';
import { operatorRefusals } from './contract.ts';
import { originOf } from './origin.ts';
import { type Asked, askForNewPasskey, askForPasskey, partyOf, readNewPasskey } from './passkeys.ts';
import {
  addPasskey,
  askPasskey,
  changeSignInPolicy,
  confirmAuthenticator,
  confirmIdentity,
  endOtherSessions,
  endOwnSession,
  listOwnSessions,
  readSecondFactors,
  readSignInPolicy,
  removeAuthenticator,
  removePasskey,
  renewRecoveryCodes,
  startAuthenticator,
  startPasskey,
} from './secondFactorContract.ts';
import {
  firstRecoveryCodes,
  newRecoveryCodes,
  removeFactor,
  requireSecondFactor,
  secondFactorsOf,
  startTotp,
  storePasskey,
  takeTotp,
} from './secondFactors.ts';
import { confirmBy } from './secondStep.ts';
import type { Sessions } from './session.ts';
import { countAttempt, forgiveAttempts, recordFailure } from './signIn.ts';
import { isSecondFactorRequired } from './store/secondFactors.ts';
import { endSession, endSessions, sessionsOf } from './store/sessions.ts';

type Any = Pick<Call<never>, 'raw' | 'caller'>;

export function securityRoutes(ground: Ground, sessions: Sessions, cookieName: string): Route[] {
  const tokenHashOf = ({ raw }: Any): Buffer => fingerprint(raw.cookies[cookieName] ?? '');
  const asked = (call: Any): Asked => ({ tokenHash: tokenHashOf(call), operator: call.caller });
  /** The transaction of a change, with its event; this node knows of it when the answer is sent. */
  async function change<T>(
    { raw, caller }: Any,
    event: AuthEvent,
    work: (tx: Parameters<Parameters<Ground['transact']>[0]>[0]) => Promise<T>,
    facts: Readonly<Record<string, unknown>> = {},
  ): Promise<T> {
    const done = await ground.transact(async (tx) => {
      const made = await work(tx);
      await recordAuthEvent(ground, tx, event, { operator: caller, origin: originOf(raw), ...facts });
      return made;
    });
    sessions.forget();
    return done;
  }

  return [
    route(listOwnSessions, async ({ caller }) => {
      const rows = await sessionsOf(ground.reader, caller.id);
      return ok(
        200,
        rows.map((row) => ({ ...row, current: row.id === caller.sessionId })),
      );
    }),
    route(endOwnSession, async (call) => {
      const { caller, params } = call;
      await change(call, 'session ended', async (tx) => {
        if (!(await endSession(tx, caller.id, params.session)))
          throw refuse(commonRefusals, 'not_found', { noun: 'session' });
      });
      return ok(204, null);
    }),
    route(endOtherSessions, async (call) => {
      await change(call, 'other sessions ended', (tx) => endSessions(tx, call.caller.id, tokenHashOf(call)));
      return ok(204, null);
    }),
    route(confirmIdentity, async (call) => {
      const party = () => partyOf(call.raw);
      await confirmBy(ground, asked(call), { by: call.body, origin: originOf(call.raw), party });
      sessions.forget();
      return ok(204, null);
    }),
    route(askPasskey, async (call) => ok(200, await askForPasskey(ground, partyOf(call.raw), asked(call)))),
    route(readSecondFactors, async ({ caller }) => ok(200, await secondFactorsOf(ground.reader, caller.id))),
    route(startAuthenticator, async ({ caller }) =>
      ok(200, await ground.transact((tx) => startTotp(ground, tx, caller))),
    ),
    route(confirmAuthenticator, async (call) => {
      const { caller, body, raw } = call;
      const origin = originOf(raw);
      const isLast = await countAttempt(ground, caller.login, origin);
      const codes = await ground.transact(async (tx) => {
        if (!(await takeTotp(ground, tx, { operatorId: caller.id, code: body.code, confirms: true }))) return undefined;
        await forgiveAttempts(tx, caller.login, origin);
        await recordAuthEvent(ground, tx, 'authenticator added', { operator: caller, origin });
        return firstRecoveryCodes(ground, tx, caller.id);
      });
      if (codes === undefined) {
        await recordFailure(ground, 'second factor failed', { login: caller.login, origin, isLast });
        throw refuse(operatorRefusals, 'operator.wrong_code');
      }
      sessions.forget();
      return ok(200, { recovery_codes: codes });
    }),
    route(removeAuthenticator, async (call) => {
      await change(call, 'authenticator removed', async (tx) => {
        if (!(await removeFactor(tx, call.caller.id, 'authenticator')))
          throw refuse(commonRefusals, 'not_found', { noun: 'authenticator app' });
      });
      return ok(204, null);
    }),
    route(renewRecoveryCodes, async (call) => {
      const codes = await change(call, 'recovery codes renewed', (tx) => newRecoveryCodes(ground, tx, call.caller.id));
      return ok(200, { recovery_codes: codes });
    }),
    route(startPasskey, async (call) => ok(200, await askForNewPasskey(ground, partyOf(call.raw), asked(call)))),
    route(addPasskey, async (call) => {
      const { body, caller, raw } = call;
      const given = { tokenHash: tokenHashOf(call), response: body.passkey };
      const made = await readNewPasskey(ground, partyOf(raw), given);
      if (!made) throw refuse(operatorRefusals, 'operator.wrong_passkey');
      const codes = await change(
        call,
        'passkey added',
        async (tx) => {
          await storePasskey(tx, caller.id, { ...made, name: body.name });
          return firstRecoveryCodes(ground, tx, caller.id);
        },
        { passkey: body.name },
      );
      return ok(200, { recovery_codes: codes });
    }),
    route(removePasskey, async (call) => {
      await change(call, 'passkey removed', async (tx) => {
        if (!(await removeFactor(tx, call.caller.id, call.params.passkey)))
          throw refuse(commonRefusals, 'not_found', { noun: 'passkey' });
      });
      return ok(204, null);
    }),
    route(readSignInPolicy, async () =>
      ok(200, { second_factor_required: await isSecondFactorRequired(ground.reader) }),
    ),
    route(changeSignInPolicy, async ({ body, caller, requestId }) => {
      const required = body.second_factor_required;
      await ground.transact(async (tx) => {
        const before = { second_factor_required: await isSecondFactorRequired(tx) };
        await requireSecondFactor(tx, caller.id, required);
        const deed = { caller, requestId, action: 'changed', noun: 'sign_in_policy', rowId: null, before, after: body };
        await recordDeed(tx, deed);
      });
      sessions.forget();
      return ok(200, body);
    }),
  ];
}
