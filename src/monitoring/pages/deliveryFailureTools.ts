/** The assistant's tools for delivery failures. */
import { z } from 'zod';
import { channelVendors } from '../../channels/contract.ts';
import {
  countRetries,
  deliveryFailures,
  failureStates,
  listFailureReasons,
} from '../../outbox/deliveryFailureContract.ts';
import { uncheckedId } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import { NOTHING_SENT, retryOn } from './retry.ts';

const several = z.array(uncheckedId).max(100).optional();
const WHICH = z.strictObject({
  state: z.array(z.enum(failureStates)).optional(),
  vendor: z.array(z.enum(channelVendors)).optional(),
  channel_id: several,
  company_id: several,
  product_id: several,
});
const ORDER = WHICH.extend({
  may_arrive_twice: z
    .boolean()
    .describe('Whether to include unconfirmed messages that the vendor no longer recognises and that may arrive twice'),
});

export function deliveryFailureTools(): ToolWithHandler[] {
  return [
    pageTool({
      name: 'show_reasons',
      description: t('Why messages did not get through, over all companies, with counts.'),
      input: WHICH,
      run: (query) => call(listFailureReasons, { query }),
    }),
    pageTool({
      name: 'check_retry_of_all',
      description: t('Counts what sending all matching messages again would do. Nothing is sent.'),
      input: WHICH,
      run: (narrowing) => call(countRetries, { body: { narrowing } }),
    }),
    pageTool({
      name: 'retry_all_messages',
      description: t('Sends all matching failed and unconfirmed messages again, of all companies unless narrowed.'),
      input: ORDER,
      confirm: true,
      irreversible: t('Sent messages cannot be taken back.'),
      run: async ({ may_arrive_twice: includeUnconfirmed, ...narrowing }) => {
        const which = { narrowing };
        const counted = await call(countRetries, { body: which });
        const { again, skipped } = await retryOn({
          which,
          count: counted,
          includeUnconfirmed,
          so: NOTHING_SENT,
          onProgress: () => undefined,
        });
        await queryClient.invalidateQueries({ queryKey: keyOf(deliveryFailures.list) });
        return { sent_again: again, left: skipped };
      },
    }),
  ];
}
