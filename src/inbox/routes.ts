import type { HookOwner } from '../channels/account.ts';
import type { AppContext } from '../platform/appContext.ts';
import { ok, type Route, route, secretRoute } from '../platform/http/routes.ts';
import type { SecretOwnerCache } from '../platform/http/secretOwnerCache.ts';
import { fingerprint } from '../platform/ids.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { receiveVendorHook, receiveWebhook } from './chatbotContract.ts';
import { resolveHookSecret } from './hookSecret.ts';
import { ingestPayload, ingestVendorHook } from './ingest.ts';
import { submitWebhook } from './submitWebhook.ts';

/** Routes of vendors' hooks, and of messages submitted through the API. */
export function inboxRoutes(context: AppContext, owners: SecretOwnerCache<HookOwner>): Route[] {
  return [
    secretRoute(receiveVendorHook, resolveHookSecret(context, owners), async ({ params, body }) => {
      return ok(200, {
        accepted: await ingestVendorHook(context, { vendor: params.vendor, secret: params.secret, body }),
      });
    }),
    route(receiveWebhook, async ({ body, maybeCaller, raw, requestId }) => {
      const bearer = /^Bearer (.+)$/.exec(raw.headers.authorization ?? '')?.[1];
      const account = maybeCaller || bearer === undefined ? null : await owners.find(fingerprint(bearer));
      if (!maybeCaller && !account) throw refuse(commonRefusals, 'unauthorized');
      const accepted = maybeCaller
        ? await submitWebhook(context, body, { caller: maybeCaller, requestId })
        : await ingestPayload(context, body, account?.id ?? null);
      return ok(200, { accepted });
    }),
  ];
}
