/** Messages and statuses of a channel that an operator submits in place of its vendor. */

import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import type { Caller } from '../platform/http/caller.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { WebhookPayload } from './chatbotContract.ts';
import { ingestPayload } from './ingest.ts';
import { canSubmitWebhook, findCompanyOfChannel } from './store/webhookAccess.ts';

/**
 * Ingest a submitted webhook and record who submitted it. A vendor's ids are valid in its whole account, so a member
 * must have access to the account, each of its channels, and all dialogues on them. Returns how many items were new.
 */
export async function submitWebhook(
  context: AppContext,
  payload: WebhookPayload,
  { caller, requestId }: { readonly caller: Caller; readonly requestId: string },
): Promise<number> {
  // A vendor's own reference is only unique within an account, which a session does not name.
  const channelId = typeof payload.channel_id === 'number' ? payload.channel_id : 0;
  if (!(await canSubmitWebhook(context.reader, channelId, caller.companies)))
    throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
  const statuses: Record<string, number> = {};
  for (const { status } of payload.messages) statuses[status] = (statuses[status] ?? 0) + 1;
  await context.transact(async (tx) =>
    recordAuditEntry(tx, {
      caller,
      action: 'webhook submitted',
      noun: 'channel',
      rowId: channelId,
      companyId: await findCompanyOfChannel(tx, channelId),
      after: { messages: payload.messages.length, statuses },
      requestId,
    }),
  );
  return ingestPayload(context, payload, null);
}
