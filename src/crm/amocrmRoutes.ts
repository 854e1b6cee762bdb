/** Routes of amoCRM: connecting, its hooks, the state of a connection, and actions in it. */

import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { readLeadForApi } from '../leads/store.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Party } from '../platform/http/admission.ts';
import type { Caller } from '../platform/http/caller.ts';
import { ok, type Route, route, secretRoute } from '../platform/http/routes.ts';
import { createSecretOwnerCache } from '../platform/http/secretOwnerCache.ts';
import { fingerprint } from '../platform/ids.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { createCardAndLead, moveCardOfLead, toRefusal } from './actions.ts';
import { readHook } from './amocrm/hook.ts';
import {
  amocrmHook,
  amocrmRefusals,
  changeCrmStatus,
  completeOauth,
  createCrmLead,
  disconnectIntegration,
  getRedirect,
  readCrmDirectory,
  readIntegrationState,
  readLeadCard,
  readSkippedItems,
  receiveDisconnect,
  receiveSecrets,
  startOauth,
  syncIntegration,
} from './amocrmContract.ts';
import { completeConnecting, savePostedSecrets, startConnecting } from './connect.ts';
import { receiveDisconnectHook, unsubscribeAccount } from './disconnect.ts';
import { readIntegrationStatus } from './integrationStatus.ts';
import { landingPage } from './landingPage.ts';
import { readLeadCardView } from './leadCardView.ts';
import { readCurrentDirectory } from './readDirectory.ts';
import { readSkippedView } from './skippedView.ts';
import { findAccount, findBySecret, findBySecrets, markDisconnected, requestSync } from './store/accounts.ts';
import { recordChanges } from './store/cards.ts';
import { retryRefusedHandOvers } from './store/handOvers.ts';
import { retrySkipped } from './store/skipped.ts';

/** What this module needs from others: who sent a request. */
export interface CrmDependencies {
  /** Return the session cookie of a request. */
  readonly sessionToken: (request: FastifyRequest) => string | undefined;
  readonly callerOf: (token: string | undefined) => Promise<Caller | null>;
}

export function amocrmRoutes(context: AppContext, dependencies: CrmDependencies): Route[] {
  return [
    ...connectionRoutes(context, dependencies),
    hookRoute(context),
    ...integrationRoutes(context),
    ...actionRoutes(context),
  ];
}

function connectionRoutes(context: AppContext, dependencies: CrmDependencies): Route[] {
  const startConnection = (companyId: number, request: FastifyRequest) =>
    startConnecting(context, companyId, dependencies.sessionToken(request) ?? '');
  return [
    route(getRedirect, async ({ query, raw }) => ok(200, { url: await startConnection(query.company_id, raw) })),
    route(startOauth, async ({ query, raw, reply }) => {
      reply.header('location', await startConnection(query.company_id, raw));
      return ok(302, null);
    }),
    route(receiveSecrets, async ({ body }) => {
      if (!(await savePostedSecrets(context, body))) throw refuse(commonRefusals, 'not_found', { noun: 'connection' });
      return ok(200, null);
    }),
    route(completeOauth, async ({ query, raw, reply, requestId }) => {
      // amoCRM's server makes this call when somebody installs from its catalogue; there is no session to bind it to.
      if (query.from_widget !== undefined)
        return showPage(reply, {
          ok: false,
          sentence: 'Sign in to Rapport and connect amoCRM from its page CRM Integrations.',
        });
      const token = dependencies.sessionToken(raw);
      const caller = await dependencies.callerOf(token);
      if (!caller || token === undefined)
        return showPage(reply, { ok: false, sentence: 'Sign in to Rapport in this browser, and begin again.' });
      const canAccess = (companyId: number) => caller.companies === null || caller.companies.includes(companyId);
      return showPage(
        reply,
        await completeConnecting(context, query, { token, id: caller.id, login: caller.login, canAccess, requestId }),
      );
    }),
    route(receiveDisconnect, async ({ query }) => {
      const clientId = query.client_uuid ?? query.client_id;
      const { account_id: account, signature } = query;
      const integrationIds =
        clientId !== undefined && signature !== undefined && /^[1-9]\d{0,14}$/.test(account ?? '')
          ? await receiveDisconnectHook(context, { accountId: Number(account), clientId, signature })
          : [];
      if (integrationIds.length === 0) throw refuse(commonRefusals, 'not_found', { noun: 'connection' });
      return ok(200, null);
    }),
  ];
}

/** Show the page on which amoCRM's dialog ends. */
async function showPage(
  reply: { header(name: string, value: string): unknown },
  landing: Awaited<ReturnType<typeof completeConnecting>>,
) {
  const { html, policy } = landingPage(landing, randomBytes(16).toString('base64'));
  reply.header('content-security-policy', policy);
  // The URL holds the code and the state.
  reply.header('referrer-policy', 'no-referrer');
  return landing.ok ? ok(200, html) : ok(400, html);
}

function hookRoute(context: AppContext): Route {
  const secretOwners = createSecretOwnerCache<Party>({
    async lookUp(hashes) {
      const match = await findBySecrets(context.authReader, hashes);
      const partyOf = ({ id }: { id: number }): Party => `account:crm-${id}`;
      return hashes.map((hash) => match.filter((one) => one.hook_secret_hash.equals(hash)).map(partyOf)[0] ?? null);
    },
    timeoutMs: context.config.databaseWaitSeconds * 1000,
  });
  const secret = {
    findCached: (params: { secret: string }) => secretOwners.findCached(fingerprint(params.secret)),
    find: (params: { secret: string }) => secretOwners.find(fingerprint(params.secret)),
  };

  return secretRoute(amocrmHook, secret, async ({ params, body }) => {
    const match = await findBySecret(context.reader, fingerprint(params.secret));
    if (!match) throw refuse(commonRefusals, 'not_found', { noun: 'address' });
    const changes = readHook(body);
    // A hook of another account at this address is a mistake; nothing in it is used.
    if (changes.accounts.some((one) => one !== match.account_id)) return ok(200, null);
    await recordChanges(context.reader, match.id, changes);
    failpoint('crm.afterHookStored');
    return ok(200, null);
  });
}

function integrationRoutes(context: AppContext): Route[] {
  return [
    route(readIntegrationState, async ({ params }) => ok(200, await readIntegrationStatus(context.reader, params.id))),
    route(syncIntegration, async ({ params, caller, requestId }) => {
      await requireConnected(context, params.id);
      await context.transact(async (tx) => {
        await requestSync(tx, params.id);
        await retryRefusedHandOvers(tx, params.id);
        await retrySkipped(tx, params.id);
        await recordAuditEntry(tx, {
          caller,
          action: 'sync asked',
          noun: 'crm_integration',
          rowId: params.id,
          requestId,
        });
      });
      return ok(200, await readIntegrationStatus(context.reader, params.id));
    }),
    route(readSkippedItems, async ({ params }) => ok(200, await readSkippedView(context, params.id))),
    route(disconnectIntegration, async ({ params, caller, requestId }) => {
      await unsubscribeAccount(context, params.id);
      await context.transact(async (tx) => {
        const wasConnected = await markDisconnected(tx, params.id, `Disconnected by ${caller.login}`);
        if (!wasConnected)
          throw refuse(amocrmRefusals, 'amocrm.not_connected', { reason: 'It was disconnected before' });
        await recordAuditEntry(tx, {
          caller,
          action: 'disconnected',
          noun: 'crm_integration',
          rowId: params.id,
          requestId,
        });
      });
      return ok(200, await readIntegrationStatus(context.reader, params.id));
    }),
    route(readCrmDirectory, async ({ params, query }) => {
      await requireConnected(context, params.id);
      const read = await readCurrentDirectory(context, params.id, query.refresh);
      if (read.kind !== 'read') throw toRefusal(read);
      return ok(200, {
        pipelines: read.value.pipelines.map((one) => ({ ...one, steps: [...one.steps] })),
        lead_fields: [...read.value.lead_fields],
        contact_fields: [...read.value.contact_fields],
      });
    }),
    route(readLeadCard, async ({ params }) => ok(200, { card: await readLeadCardView(context, params.id) })),
  ];
}

async function requireConnected(context: AppContext, id: number): Promise<void> {
  const account = await findAccount(context.reader, id);
  if (account?.state === 'connected') return;
  const reason = account?.state_reason ?? 'It was never connected';
  throw refuse(amocrmRefusals, 'amocrm.not_connected', { reason });
}

function actionRoutes(context: AppContext): Route[] {
  return [
    route(changeCrmStatus, async ({ body, caller, requestId }) => {
      await moveCardOfLead(context, body, { caller, requestId });
      return ok(200, { lead_id: body.lead_id, status_id: body.new_status_id });
    }),
    route(createCrmLead, async ({ body, caller, requestId }) => {
      const id = await createCardAndLead(context, body, { caller, requestId });
      const lead = await readLeadForApi(context.reader, id);
      if (!lead) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
      return ok(201, lead);
    }),
  ];
}
