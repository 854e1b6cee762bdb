import type { HookOwner } from '../channels/account.ts';
import type { AppContext } from '../platform/appContext.ts';
import { ok, type Route, route, secretRoute } from '../platform/http/routes.ts';
import type { SecretOwnerCache } from '../platform/http/secretOwnerCache.ts';
import { fingerprint } from '../platform/ids.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { receiveVendorHook, receiveWebhook } from './chatbotContract.ts';
import { resolveHookSecret } from './hookSecret.ts';
import { ignoredRoutes } from './ignoredRoutes.ts';
import { ingestVendorHook } from './ingest.ts';
import { submitWebhook } from './submitWebhook.ts';

/** Routes of vendors' hooks, and of messages submitted through the API. */
export function inboxRoutes(context: AppContext, owners: SecretOwnerCache<HookOwner>): Route[] {
  return [
    ...ignoredRoutes(context),
    secretRoute(receiveVendorHook, resolveHookSecret(context, owners), async ({ params, body }) => {
      return ok(200, {
        accepted: await ingestVendorHook(context, { vendor: params.vendor, secret: params.secret, body }),
      });
    }),
    route(receiveWebhook, async ({ body, maybeCaller, raw, requestId }) => {
      if (maybeCaller) return ok(200, await submitWebhook(context, body, { caller: maybeCaller, requestId }));
      const token = /^Bearer (.+)$/.exec(raw.headers.authorization ?? '')?.[1];
      const secretHash = token === undefined ? null : fingerprint(token);
      const account = secretHash && (await owners.find(secretHash));
      if (!account) throw refuse(commonRefusals, 'unauthorized');
      const bearer = { accountId: account.id, vendor: account.vendor, secretHash };
      return ok(200, await submitWebhook(context, body, { bearer }));
    }),
  ];
}
