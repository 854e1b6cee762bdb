/** What the assistant may do with messages that did not get through. */
import { z } from 'zod';
import { channelVendors } from '../../../channels/contract.ts';
import { countRetries, readReasons, troubleStates, troubles } from '../../../dialogues/troubleContract.ts';
import { call } from '../../../kit/api.ts';
import { pageTool, type ToolOfPage } from '../../../kit/pageTool.ts';
import { keyOf, queryClient } from '../../../kit/query.ts';
import { t } from '../../../kit/t.ts';
import { plainId } from '../../../platform/contract.ts';
import { NOTHING_SENT, retryOn } from './retry.ts';

const several = z.array(plainId).max(100).optional();
const WHICH = z.strictObject({
  state: z.array(z.enum(troubleStates)).optional(),
  vendor: z.array(z.enum(channelVendors)).optional(),
  channel_id: several,
  company_id: several,
  product_id: several,
});
const ORDER = WHICH.extend({
  may_arrive_twice: z
    .boolean()
    .describe('Whether unconfirmed messages go too that the vendor no longer recognises and that may arrive twice'),
});

export function troubleTools(): ToolOfPage[] {
  return [
    pageTool({
      name: 'show_reasons',
      description: t('Why messages did not get through, over all companies, with counts.'),
      input: WHICH,
      run: (query) => call(readReasons, { query }),
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
      irreversible: t('What is sent cannot be taken back.'),
      run: async ({ may_arrive_twice: doubtful, ...narrowing }) => {
        const which = { narrowing };
        const counted = await call(countRetries, { body: which });
        const { again, left } = await retryOn(which, counted, doubtful, NOTHING_SENT, () => undefined);
        await queryClient.invalidateQueries({ queryKey: keyOf(troubles.list) });
        return { sent_again: again, left };
      },
    }),
  ];
}
