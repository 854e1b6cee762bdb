import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { ids } from '../platform/ids.ts';
import { wakeSweep } from '../platform/notifications.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { isMasked, mask } from '../platform/secretCipher.ts';
import {
  declaredDeliveries,
  readDeliveryBody,
  sendDeliveryAgain,
  testWebhook,
  type WebhookDelivery,
  webhookRefusals,
  webhooks,
} from './contract.ts';
import { envelopeOf } from './envelope.ts';
import { DELIVERIES_SWEEP } from './event.ts';
import { secretLocation } from './secret.ts';
import { DELIVERY_SOURCE, failPending, insertTest, readDelivery, requeueDelivery } from './store/deliveries.ts';
import { countWebhooks, isProductOf, lockWebhook, nextWebhookId, WEBHOOK_SOURCE } from './store.ts';

/** Each event is stored once for each of them. */
const MAX_WEBHOOKS = 20;

/** Routes of webhooks and of their deliveries. A secret is write-only. */
export function webhookRoutes(context: AppContext): Route[] {
  const crudRoutes = resource(context, webhooks, WEBHOOK_SOURCE);
  const requireAddress = (url: string): void => {
    const reason = context.outbound.addressRefusal(url);
    if (reason !== null) throw refuse(webhookRefusals, 'webhook.address', { reason });
  };
  const sealed = (secret: string, id: number) => ({
    secret_mask: mask(secret),
    secret_sealed: context.cipher.encryptSecret(secret, secretLocation(id)),
  });
  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(async (tx, { secret, product_id: productId, ...body }) => {
      requireAddress(body.url);
      if (isMasked(secret)) throw refuse(webhookRefusals, 'webhook.secret_missing');
      if (productId !== null && !(await isProductOf(tx, productId, body.company_id)))
        throw refuse(webhookRefusals, 'webhook.other_company');
      if ((await countWebhooks(tx, body.company_id)) >= MAX_WEBHOOKS)
        throw refuse(webhookRefusals, 'webhook.too_many', { max: MAX_WEBHOOKS });
      const id = await nextWebhookId(tx);
      return { id, ...body, only_product_id: productId, ...sealed(secret, id) };
    }),
    ...crudRoutes.replace(async (tx, { before, body: { secret, company_id, product_id, ...body } }) => {
      if (company_id !== before.company_id || product_id !== before.product_id)
        throw refuse(webhookRefusals, 'webhook.company_fixed');
      const isNewSecret = !isMasked(secret);
      if (body.url !== before.url) {
        requireAddress(body.url);
        if (!isNewSecret) throw refuse(webhookRefusals, 'webhook.secret_again');
      }
      if (!body.is_active) await failPending(tx, before.id, 'The webhook was switched off');
      return { ...body, ...(isNewSecret ? sealed(secret, before.id) : {}) };
    }),
    crudRoutes.remove(),
    ...deliveryRoutes(context),
  ];
}

function deliveryRoutes(context: AppContext): Route[] {
  const crudRoutes = resource(context, declaredDeliveries, DELIVERY_SOURCE);
  const found = async (reader: Reader, id: number): Promise<WebhookDelivery> => {
    const delivery = await crudRoutes.read(reader, id);
    if (!delivery) throw noDelivery();
    return delivery;
  };
  return [
    crudRoutes.list,
    crudRoutes.get,
    route(readDeliveryBody, async ({ params }) => {
      const stored = await readDelivery(context.reader, params.id);
      if (!stored) throw noDelivery();
      return ok(200, envelopeOf(stored));
    }),
    // Both answer with what they stored: after the commit the delivery may be over already.
    route(testWebhook, async ({ params, caller, requestId }) => {
      const delivery = await context.transact(async (tx) => {
        const webhook = await requireActive(tx, params.id);
        const id = await insertTest(tx, { webhookId: params.id, id: ids.next() });
        wakeSweep(tx, DELIVERIES_SWEEP);
        await recordChange(tx, { id: params.id, webhook, action: 'tested', caller, requestId });
        return found(tx, id);
      });
      return ok(201, delivery);
    }),
    route(sendDeliveryAgain, async ({ params, caller, requestId }) => {
      const { webhook_id: id, event, event_id } = await found(context.reader, params.id);
      const delivery = await context.transact(async (tx) => {
        const webhook = await requireActive(tx, id);
        await requeueDelivery(tx, params.id);
        wakeSweep(tx, DELIVERIES_SWEEP);
        const after = { delivery_id: params.id, event, event_id };
        await recordChange(tx, { id, webhook, action: 'delivery sent again', after, caller, requestId });
        return found(tx, params.id);
      });
      return ok(200, delivery);
    }),
  ];
}

const noDelivery = () => refuse(commonRefusals, 'not_found', { noun: 'webhook delivery' });

type LockedWebhook = NonNullable<Awaited<ReturnType<typeof lockWebhook>>>;

/** Lock a webhook, and refuse if it is off: nothing is sent to it then. */
async function requireActive(tx: Tx, id: number): Promise<LockedWebhook> {
  const webhook = await lockWebhook(tx, id);
  if (!webhook) throw refuse(commonRefusals, 'not_found', { noun: 'webhook' });
  if (!webhook.is_active) throw refuse(webhookRefusals, 'webhook.off');
  return webhook;
}

interface Change extends WriteContext {
  readonly id: number;
  readonly webhook: LockedWebhook;
  readonly action: string;
  readonly after?: object;
}

const recordChange = (tx: Tx, { id, webhook, ...entry }: Change): Promise<void> =>
  recordAuditEntry(tx, {
    ...entry,
    noun: 'webhook',
    rowId: id,
    productId: webhook.product_id,
    companyId: webhook.company_id,
  });
