/** Routes for an operator's own sessions, second factors and reauthentication, and for the sign-in policy. */

import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import type { Call } from '../platform/http/routes.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { fingerprint } from '../platform/ids.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { type AuthEvent, recordAuthEvent } from './authEvents.ts';
import { operatorRefusals } from './contract.ts';
import { originOf } from './origin.ts';
import {
  createAuthenticationOptions,
  createRegistrationOptions,
  type PasskeyRequest,
  relyingPartyOf,
  verifyRegistration,
} from './passkeys.ts';
import {
  addPasskey,
  askPasskey,
  changeSignInPolicy,
  confirmAuthenticator,
  confirmIdentity,
  dismissWrongCodes,
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
  consumeTotp,
  createTotpSecret,
  firstRecoveryCodes,
  newRecoveryCodes,
  removeSecondFactor,
  requireSecondFactor,
  secondFactorsOf,
  storePasskey,
} from './secondFactors.ts';
import { confirmIdentityBy } from './secondStep.ts';
import type { Sessions } from './session.ts';
import { countAttempt, forgiveAttempts, recordFailure } from './signIn.ts';
import { deleteNotice } from './store/secondFactorGuesses.ts';
import { isSecondFactorRequired } from './store/secondFactors.ts';
import { endSession, endSessions, sessionsOf } from './store/sessions.ts';

type AnyCall = Pick<Call<never>, 'raw' | 'caller'>;

interface SecurityContext {
  readonly context: AppContext;
  readonly sessions: Sessions;
  readonly tokenHashOf: (call: AnyCall) => Buffer;
  readonly passkeyRequestOf: (call: AnyCall) => PasskeyRequest;
  /** Run a change in a transaction, together with its event. This node applies it before the answer is sent. */
  readonly change: <T>(
    call: AnyCall,
    event: { readonly event: AuthEvent; readonly passkey?: string },
    work: (tx: Tx) => Promise<T>,
  ) => Promise<T>;
}

export function securityRoutes(context: AppContext, sessions: Sessions, cookieName: string): Route[] {
  const tokenHashOf = ({ raw }: AnyCall): Buffer => fingerprint(raw.cookies[cookieName] ?? '');
  const security: SecurityContext = {
    context,
    sessions,
    tokenHashOf,
    passkeyRequestOf: (call) => ({ tokenHash: tokenHashOf(call), operator: call.caller }),
    async change({ raw, caller }, event, work) {
      const done = await context.transact(async (tx) => {
        const created = await work(tx);
        await recordAuthEvent(context, tx, { ...event, operator: caller, origin: originOf(raw) });
        return created;
      });
      sessions.forget();
      return done;
    },
  };
  return [
    ...ownSessionRoutes(security),
    ...authenticatorRoutes(security),
    ...passkeyRoutes(security),
    ...signInPolicyRoutes(security),
  ];
}

function ownSessionRoutes({ context, sessions, change, tokenHashOf, passkeyRequestOf }: SecurityContext): Route[] {
  return [
    route(listOwnSessions, async ({ caller }) => {
      const rows = await sessionsOf(context.reader, caller.id);
      return ok(
        200,
        rows.map((row) => ({ ...row, current: row.id === caller.sessionId })),
      );
    }),
    route(endOwnSession, async (call) => {
      const { caller, params } = call;
      await change(call, { event: 'session ended' }, async (tx) => {
        if (!(await endSession(tx, caller.id, params.session)))
          throw refuse(commonRefusals, 'not_found', { noun: 'session' });
      });
      return ok(204, null);
    }),
    route(endOtherSessions, async (call) => {
      await change(call, { event: 'other sessions ended' }, (tx) => endSessions(tx, call.caller.id, tokenHashOf(call)));
      return ok(204, null);
    }),
    route(confirmIdentity, async (call) => {
      const party = () => relyingPartyOf(call.raw);
      await confirmIdentityBy(context, passkeyRequestOf(call), { by: call.body, origin: originOf(call.raw), party });
      sessions.forget();
      return ok(204, null);
    }),
    route(askPasskey, async (call) =>
      ok(200, await createAuthenticationOptions(context, relyingPartyOf(call.raw), passkeyRequestOf(call))),
    ),
  ];
}

function authenticatorRoutes({ context, sessions, change }: SecurityContext): Route[] {
  return [
    route(readSecondFactors, async ({ caller }) => ok(200, await secondFactorsOf(context.reader, caller.id))),
    route(dismissWrongCodes, async (call) => {
      await change(call, { event: 'wrong codes seen' }, async (tx) => {
        if (!(await deleteNotice(tx, call.caller.id))) throw refuse(commonRefusals, 'not_found', { noun: 'notice' });
      });
      return ok(204, null);
    }),
    route(startAuthenticator, async ({ caller }) =>
      ok(200, await context.transact((tx) => createTotpSecret(context, tx, caller))),
    ),
    route(confirmAuthenticator, async (call) => {
      const { caller, body, raw } = call;
      const origin = originOf(raw);
      const isLast = await countAttempt(context, caller.login, origin);
      const codes = await context.transact(async (tx) => {
        if (!(await consumeTotp(context, tx, { operatorId: caller.id, code: body.code, confirms: true })))
          return undefined;
        await forgiveAttempts(tx, caller.login, origin);
        await recordAuthEvent(context, tx, { event: 'authenticator added', operator: caller, origin });
        return firstRecoveryCodes(context, tx, caller.id);
      });
      if (codes === undefined) {
        await recordFailure(context, 'second factor failed', { login: caller.login, origin, isLast });
        throw refuse(operatorRefusals, 'operator.wrong_code');
      }
      sessions.forget();
      return ok(200, { recovery_codes: codes });
    }),
    route(removeAuthenticator, async (call) => {
      await change(call, { event: 'authenticator removed' }, async (tx) => {
        if (!(await removeSecondFactor(tx, call.caller.id, 'authenticator')))
          throw refuse(commonRefusals, 'not_found', { noun: 'authenticator app' });
      });
      return ok(204, null);
    }),
    route(renewRecoveryCodes, async (call) => {
      const codes = await change(call, { event: 'recovery codes renewed' }, (tx) =>
        newRecoveryCodes(context, tx, call.caller.id),
      );
      return ok(200, { recovery_codes: codes });
    }),
  ];
}

function passkeyRoutes({ context, change, tokenHashOf, passkeyRequestOf }: SecurityContext): Route[] {
  return [
    route(startPasskey, async (call) =>
      ok(200, await createRegistrationOptions(context, relyingPartyOf(call.raw), passkeyRequestOf(call))),
    ),
    route(addPasskey, async (call) => {
      const { body, caller, raw } = call;
      const input = { tokenHash: tokenHashOf(call), response: body.passkey };
      const created = await verifyRegistration(context, relyingPartyOf(raw), input);
      if (!created) throw refuse(operatorRefusals, 'operator.wrong_passkey');
      const codes = await change(call, { event: 'passkey added', passkey: body.name }, async (tx) => {
        await storePasskey(tx, caller.id, { ...created, name: body.name });
        return firstRecoveryCodes(context, tx, caller.id);
      });
      return ok(200, { recovery_codes: codes });
    }),
    route(removePasskey, async (call) => {
      await change(call, { event: 'passkey removed' }, async (tx) => {
        if (!(await removeSecondFactor(tx, call.caller.id, call.params.passkey)))
          throw refuse(commonRefusals, 'not_found', { noun: 'passkey' });
      });
      return ok(204, null);
    }),
  ];
}

function signInPolicyRoutes({ context, sessions }: SecurityContext): Route[] {
  return [
    route(readSignInPolicy, async () =>
      ok(200, { second_factor_required: await isSecondFactorRequired(context.reader) }),
    ),
    route(changeSignInPolicy, async ({ body, caller, requestId }) => {
      const required = body.second_factor_required;
      await context.transact(async (tx) => {
        const before = { second_factor_required: await isSecondFactorRequired(tx) };
        await requireSecondFactor(tx, caller.id, required);
        const auditEntry = {
          caller,
          requestId,
          action: 'changed',
          noun: 'sign_in_policy',
          rowId: null,
          before,
          after: body,
        };
        await recordAuditEntry(tx, auditEntry);
      });
      sessions.forget();
      return ok(200, body);
    }),
  ];
}
