import { usePage } from '../../ui/page.ts';
import { LeadCreate } from './LeadCreate.tsx';
import { LeadView } from './LeadView.tsx';
import { useLead } from './useLead.ts';

/** One lead; without a `leadId` in the address, the form that creates one. */
export default function LeadDetailPage() {
  const { params } = usePage();
  const lead = useLead();
  if ((params.leadId ?? '') === '') return <LeadCreate />;
  return <LeadView key={lead.id} {...lead} />;
}
