/** What an operator does with a webhook, besides editing it. */
import { t } from '../../ui/i18n.ts';
import { useCall } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { testWebhook, type Webhook, webhooks } from '../contract.ts';
import { webhookName } from './webhookLabels.tsx';
import { refreshWebhooks } from './webhookTools.ts';

export function useWebhookActions() {
  const testing = useCall(testWebhook);
  const change = useCall(webhooks.replace);
  return {
    test: (webhook: Webhook) =>
      testing.mutate(
        { params: { id: webhook.id } },
        {
          onSuccess: () => {
            toast.info(t('A test is on its way to {{name}}', { name: webhookName(webhook) }));
            void refreshWebhooks();
          },
          onError: toast.failure,
        },
      ),
    toggle: (webhook: Webhook) =>
      change.mutate(
        { params: { id: webhook.id }, body: { is_active: !webhook.is_active } },
        {
          onSuccess: (saved) => {
            const name = webhookName(saved);
            toast.success(saved.is_active ? t('{{name}} is on', { name }) : t('{{name}} is off', { name }));
            void refreshWebhooks();
          },
          onError: toast.failure,
        },
      ),
  };
}
