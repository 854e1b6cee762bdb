/** amoCRM's endpoints: connecting, its hooks, the state, and what is done in it. */

import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { showLead } from '../leads/known.ts';
import { recordDeed } from '../platform/audit.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import type { Party } from '../platform/http/admission.ts';
import type { Caller } from '../platform/http/caller.ts';
import { createKnownSecrets } from '../platform/http/knownSecrets.ts';
import { ok, type Route, route, secretRoute } from '../platform/http/routes.ts';
import { fingerprint } from '../platform/ids.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { changeStatus, createLead, refusalOf } from './actions.ts';
import { readHook } from './amocrm/hook.ts';
import {
  amocrmHook,
  amocrmRefusals,
  changeCrmStatus,
  createCrmLead,
  disconnectIntegration,
  getRedirect,
  landOauth,
  readCrmDirectory,
  readIntegrationState,
  readLeadCard,
  startOauth,
  syncIntegration,
  takeDisconnect,
  takeSecrets,
} from './amocrmContract.ts';
import { beginConnecting, keepPostedSecrets, land } from './connect.ts';
import { currentDirectory } from './directoryFor.ts';
import { leaveAccount, takeDisconnectHook } from './disconnect.ts';
import { landingPage } from './landingPage.ts';
import { showCard } from './showCard.ts';
import { stateOf } from './state.ts';
import { findAccount, findBySecret, findBySecrets, lookNow, setDisconnected } from './store/accounts.ts';
import { tellChanges } from './store/cards.ts';

/** What the room needs of those it does not know: who is behind a request. */
export interface CrmHooks {
  /** The session cookie of a request. */
  readonly sessionToken: (request: FastifyRequest) => string | undefined;
  readonly callerOf: (token: string | undefined) => Promise<Caller | null>;
}

export function amocrmRoutes(ground: Ground, hooks: CrmHooks): Route[] {
  const begin = (companyId: number, request: FastifyRequest) =>
    beginConnecting(ground, companyId, hooks.sessionToken(request) ?? '');

  const connected = createKnownSecrets<Party>({
    async lookUp(hashes) {
      const found = await findBySecrets(ground.access, hashes);
      const partyOf = ({ id }: { id: number }): Party => `account:crm-${id}`;
      return hashes.map((hash) => found.filter((one) => one.hook_secret_hash.equals(hash)).map(partyOf)[0] ?? null);
    },
    patienceMs: ground.config.databaseWaitSeconds * 1000,
  });
  const secret = {
    recall: (params: { secret: string }) => connected.recall(fingerprint(params.secret)),
    find: (params: { secret: string }) => connected.find(fingerprint(params.secret)),
  };

  async function page(
    reply: { header(name: string, value: string): unknown },
    landing: Awaited<ReturnType<typeof land>>,
  ) {
    const { html, policy } = landingPage(landing, randomBytes(16).toString('base64'));
    reply.header('content-security-policy', policy);
    // The address holds the code and the state.
    reply.header('referrer-policy', 'no-referrer');
    return landing.ok ? ok(200, html) : ok(400, html);
  }

  return [
    route(getRedirect, async ({ query, raw }) => ok(200, { url: await begin(query.company_id, raw) })),
    route(startOauth, async ({ query, raw, reply }) => {
      reply.header('location', await begin(query.company_id, raw));
      return ok(302, null);
    }),
    route(takeSecrets, async ({ body }) => {
      if (!(await keepPostedSecrets(ground, body))) throw refuse(commonRefusals, 'not_found', { noun: 'connection' });
      return ok(200, null);
    }),
    route(landOauth, async ({ query, raw, reply, requestId }) => {
      // A call of amoCRM's server, made when somebody installs from its catalogue: there is no session to bind it to.
      if (query.from_widget !== undefined)
        return page(reply, {
          ok: false,
          sentence: 'Sign in to Rapport and connect amoCRM from its page CRM Integrations.',
        });
      const token = hooks.sessionToken(raw);
      const caller = await hooks.callerOf(token);
      if (!caller || token === undefined)
        return page(reply, { ok: false, sentence: 'Sign in to Rapport in this browser, and begin again.' });
      const reaches = (companyId: number) => caller.companies === null || caller.companies.includes(companyId);
      return page(reply, await land(ground, query, { token, id: caller.id, login: caller.login, reaches, requestId }));
    }),
    route(takeDisconnect, async ({ query }) => {
      const clientId = query.client_uuid ?? query.client_id;
      const { account_id: account, signature } = query;
      const known =
        clientId !== undefined && signature !== undefined && /^[1-9]\d{0,14}$/.test(account ?? '')
          ? await takeDisconnectHook(ground, { accountId: Number(account), clientId, signature })
          : [];
      if (known.length === 0) throw refuse(commonRefusals, 'not_found', { noun: 'connection' });
      return ok(200, null);
    }),
    secretRoute(amocrmHook, secret, async ({ params, body }) => {
      const found = await findBySecret(ground.reader, fingerprint(params.secret));
      if (!found) throw refuse(commonRefusals, 'not_found', { noun: 'address' });
      const told = readHook(body);
      // Another account's hook at this address is somebody's mistake.
      if (told.accounts.some((one) => one !== found.account_id)) return ok(200, null);
      await tellChanges(ground.reader, found.id, told);
      failpoint('crm.afterHookStored');
      return ok(200, null);
    }),
    route(readIntegrationState, async ({ params }) => ok(200, await stateOf(ground.reader, params.id))),
    route(syncIntegration, async ({ params, caller, requestId }) => {
      await mustBeConnected(params.id);
      await ground.transact(async (tx) => {
        await lookNow(tx, params.id);
        await recordDeed(tx, { caller, action: 'sync asked', noun: 'crm_integration', rowId: params.id, requestId });
      });
      return ok(200, await stateOf(ground.reader, params.id));
    }),
    route(disconnectIntegration, async ({ params, caller, requestId }) => {
      await leaveAccount(ground, params.id);
      await ground.transact(async (tx) => {
        const was = await setDisconnected(tx, params.id, `Disconnected by ${caller.login}`);
        if (!was) throw refuse(amocrmRefusals, 'amocrm.not_connected', { reason: 'It was disconnected before' });
        await recordDeed(tx, { caller, action: 'disconnected', noun: 'crm_integration', rowId: params.id, requestId });
      });
      return ok(200, await stateOf(ground.reader, params.id));
    }),
    route(readCrmDirectory, async ({ params, query }) => {
      await mustBeConnected(params.id);
      const read = await currentDirectory(ground, params.id, query.refresh);
      if (read.kind !== 'read') throw refusalOf(read);
      return ok(200, {
        pipelines: read.value.pipelines.map((one) => ({ ...one, steps: [...one.steps] })),
        lead_fields: [...read.value.lead_fields],
        contact_fields: [...read.value.contact_fields],
      });
    }),
    route(readLeadCard, async ({ params }) => ok(200, { card: await showCard(ground, params.id) })),
    route(changeCrmStatus, async ({ body, caller, requestId }) => {
      await changeStatus(ground, body, { caller, requestId });
      return ok(200, { lead_id: body.lead_id, status_id: body.new_status_id });
    }),
    route(createCrmLead, async ({ body, caller, requestId }) => {
      const id = await createLead(ground, body, { caller, requestId });
      const lead = await showLead(ground.reader, id);
      if (!lead) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
      return ok(201, lead);
    }),
  ];

  async function mustBeConnected(id: number): Promise<void> {
    const account = await findAccount(ground.reader, id);
    if (account?.state === 'connected') return;
    const reason = account?.state_reason ?? 'It was never connected';
    throw refuse(amocrmRefusals, 'amocrm.not_connected', { reason });
  }
}
