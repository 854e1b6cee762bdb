import { listLinksOfLead } from '../../conversations/linksContract.ts';
import { LinkNotices } from '../../conversations/pages/shared/LinkNotices.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { useEndpoint } from '../../ui/query.ts';
import type { Lead } from '../contract.ts';

/** Other chats that have an address of the lead, or may be with the same person; nothing if there are none. */
export function LeadLinks({ lead }: { lead: Lead }) {
  const links = useEndpoint(listLinksOfLead, { params: { id: lead.id } });
  if (links.error) return <Failure error={links.error} onRetry={() => links.refetch()} />;
  return links.data === undefined || links.data.length === 0 ? null : <LinkNotices links={links.data} />;
}
