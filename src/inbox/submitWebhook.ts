/** Messages and statuses of a channel in our own format, from an operator or a program in place of the vendor. */

import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import type { Caller } from '../platform/http/caller.ts';
import { MAX_DETAILS, ValidationError } from '../platform/http/errors.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { Violation } from '../platform/validationMessages.ts';
import type { WebhookPayload, WebhookReply } from './chatbotContract.ts';
import { ingestItems, type SecretBearer } from './ingest.ts';
import { readWebhookItems, toHookItem, type WebhookItems } from './readWebhookItem.ts';
import { canSubmitWebhook, findCompanyOfChannel } from './store/webhookAccess.ts';

/** Who submits: an operator, or a program with an account's secret. */
export type Submitter = { readonly caller: Caller; readonly requestId: string } | { readonly bearer: SecretBearer };

/**
 * Ingest what can be used of a submitted webhook, and say what cannot. Throws `ValidationError` if it lists items and
 * none of them can.
 */
export async function submitWebhook(
  context: AppContext,
  payload: WebhookPayload,
  submitter: Submitter,
): Promise<WebhookReply> {
  const read = readWebhookItems(payload.messages);
  const { items, refused, ignoredFields } = read;
  if (items.length === 0 && refused.length > 0) throw nothingUsable(read);
  const { channel_id } = payload;
  if ('caller' in submitter) await recordSubmission(context, { channel_id, read }, submitter);
  const bearer = 'bearer' in submitter ? submitter.bearer : null;
  const accepted = await ingestItems(context, { channel_id, items }, bearer);
  return {
    accepted,
    ...(refused.length > 0
      ? { refused: refused.map(({ index, violations }) => ({ index, reason: violations.map(sentenceOf).join('; ') })) }
      : {}),
    ...(ignoredFields.length > 0 ? { ignored_fields: [...ignoredFields] } : {}),
  };
}

const sentenceOf = ({ path, message }: Violation): string =>
  path.length > 0 ? `${path.join('.')}: ${message}` : message;

function nothingUsable({ refused }: WebhookItems): ValidationError {
  const detail = refused.flatMap(({ index, violations }) =>
    violations.map(({ path, message, type }) => ({ loc: ['body', 'messages', index, ...path], msg: message, type })),
  );
  return new ValidationError(detail.slice(0, MAX_DETAILS));
}

/**
 * Record who submitted a webhook. A vendor's ids are valid in its whole account, so a member must have access to the
 * account, each of its channels, and all dialogues on them.
 */
async function recordSubmission(
  context: AppContext,
  { channel_id, read }: { channel_id: WebhookPayload['channel_id']; read: WebhookItems },
  { caller, requestId }: { readonly caller: Caller; readonly requestId: string },
): Promise<void> {
  // A vendor's own reference is only unique within an account, which a session does not name.
  const channelId = typeof channel_id === 'number' ? channel_id : 0;
  if (!(await canSubmitWebhook(context.reader, channelId, caller.companies)))
    throw refuse(commonRefusals, 'not_found', { noun: 'channel' });
  const statuses: Record<string, number> = {};
  for (const item of read.items) {
    const { status } = toHookItem(item, { ref: '', type: undefined });
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  await context.transact(async (tx) =>
    recordAuditEntry(tx, {
      caller,
      action: 'webhook submitted',
      noun: 'channel',
      rowId: channelId,
      companyId: await findCompanyOfChannel(tx, channelId),
      after: {
        messages: read.items.length,
        statuses,
        ...(read.refused.length > 0 ? { refused: read.refused.length } : {}),
      },
      requestId,
    }),
  );
}
