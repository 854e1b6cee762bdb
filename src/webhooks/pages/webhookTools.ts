/** The assistant's tools for webhooks, which take ids and never see a secret. */
import { z } from 'zod';
import { uncheckedId } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { Undoable } from '../../ui/pageContext.ts';
import { pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import { storedUndo } from '../../ui/undo.ts';
import { readDeliveryBody, sendDeliveryAgain, testWebhook, webhookDeliveries, webhooks } from '../contract.ts';

const ONE = z.strictObject({ id: uncheckedId });

export const refreshWebhooks = (): Promise<unknown> =>
  Promise.all(
    [webhooks.list, webhooks.get, webhookDeliveries.list].map((endpoint) =>
      queryClient.invalidateQueries({ queryKey: keyOf(endpoint) }),
    ),
  );

export function webhookTools(): ToolWithHandler[] {
  return [
    pageTool({
      name: 'send_test_event',
      description: t('Sends a test event to a webhook, by its id.'),
      input: ONE,
      confirm: true,
      irreversible: t('What was sent cannot be taken back.'),
      run: async ({ id }) => {
        const delivery = await call(testWebhook, { params: { id } });
        await refreshWebhooks();
        return { delivery_id: delivery.id, state: delivery.state };
      },
    }),
    pageTool({
      name: 'switch_webhook',
      description: t('Switches a webhook on or off, by its id. When it is off, nothing is sent to it.'),
      input: ONE.extend({ is_active: z.boolean() }),
      confirm: true,
      run: async ({ id, is_active }) => {
        const before = await call(webhooks.get, { params: { id } });
        if (before.is_active === is_active) throw new Error(t('Nothing has changed.'));
        await switched(id, is_active);
        return new Undoable(
          { id, is_active },
          storedUndo({
            after: is_active,
            read: async () => (await call(webhooks.get, { params: { id } })).is_active,
            restore: () => switched(id, !is_active),
          }),
        );
      },
    }),
  ];
}

export async function switched(id: number, is_active: boolean) {
  const saved = await call(webhooks.replace, { params: { id }, body: { is_active } });
  await refreshWebhooks();
  return saved;
}

export function deliveryTools(): ToolWithHandler[] {
  return [
    pageTool({
      name: 'show_delivery_body',
      description: t('Returns what was sent in a delivery, by its id.'),
      input: ONE,
      run: ({ id }) => call(readDeliveryBody, { params: { id } }),
    }),
    pageTool({
      name: 'send_delivery_again',
      description: t('Sends a delivery again, by its id, with the same event id.'),
      input: ONE,
      confirm: true,
      irreversible: t('What was sent cannot be taken back.'),
      run: async ({ id }) => {
        const { state } = await call(sendDeliveryAgain, { params: { id } });
        await refreshWebhooks();
        return { state };
      },
    }),
  ];
}
