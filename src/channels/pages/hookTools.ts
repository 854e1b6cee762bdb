/** The assistant's tools for the address to which a channel's vendor sends. */
import { z } from 'zod';
import { uncheckedId } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import { channels } from '../contract.ts';
import { registerHook, renewHook } from '../hookContract.ts';

const ID_INPUT = z.strictObject({ id: uncheckedId });

const invalidateChannels = () => queryClient.invalidateQueries({ queryKey: keyOf(channels.list) });

export function hookTools(): ToolWithHandler[] {
  return [
    pageTool({
      name: 'register_webhook',
      description: t(
        'Registers the webhook of a channel with its vendor, which then sends messages and statuses to Rapport. With replace, it replaces another registered address.',
      ),
      input: ID_INPUT.extend(registerHook.query.shape),
      confirm: true,
      irreversible: t('The address another system registered is unknown here, so it cannot be restored.'),
      run: async ({ id, replace }) => {
        const { message } = await call(registerHook, { params: { id }, query: { replace } });
        await invalidateChannels();
        return { message };
      },
    }),
    pageTool({
      name: 'renew_webhook_secret',
      description: t(
        'Renews the secret in the address to which a channel’s vendor sends. Nobody sees the new one; programs that use the old one as bearer token stop working after ten minutes.',
      ),
      input: ID_INPUT,
      confirm: true,
      irreversible: t('The old secret cannot be restored.'),
      run: async ({ id }) => {
        const { is_registered, message } = await call(renewHook, { params: { id }, body: {} });
        await invalidateChannels();
        return { is_registered, message };
      },
    }),
  ];
}
