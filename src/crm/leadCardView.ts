/** The card of a lead, for the console: its position, its URL, and what is still to be written to it. */
import type { AppContext } from '../platform/appContext.ts';
import { accountUrl, allowedHost } from './amocrm/host.ts';
import { stepName } from './directory.ts';
import { findAccount } from './store/accounts.ts';
import { findLeadCard } from './store/leadCard.ts';

/** Read the card of a lead; null if it has none, or none whose account has an allowed host. */
export async function readLeadCardView(context: AppContext, leadId: number) {
  const card = await findLeadCard(context.reader, leadId);
  const account = card && (await findAccount(context.reader, card.integration_id));
  if (!card || !account || allowedHost(context, account.host) === null) return null;
  const { pipeline_id: pipelineId, status_id: statusId, ...rest } = card;
  const pipeline = account.directory?.pipelines.find((one) => one.id === pipelineId);
  return {
    ...rest,
    url: `${accountUrl(context, account.host)}/leads/detail/${card.id}`,
    pipeline: pipeline?.name ?? null,
    step: pipelineId === null || statusId === null ? null : stepName(account.directory, pipelineId, statusId),
  };
}
