import { Notice } from '../../../kit/Notice.tsx';
import { PageFrame } from '../../../kit/PageFrame.tsx';
import { usePage } from '../../../kit/page.ts';
import { usePageContext } from '../../../kit/pageContext.ts';
import { useScope } from '../../../kit/scope.ts';
import { t } from '../../../kit/t.ts';
import { AuditTab } from './AuditTab.tsx';
import { HealthTab } from './HealthTab.tsx';
import { JobsTab } from './JobsTab.tsx';
import { OperatorsTab } from './OperatorsTab.tsx';
import { TroublesTab } from './TroublesTab.tsx';
import { tabOf } from './tabs.ts';

/** What the whole installation does, for admins: each tab is an address of its own. */
export default function SystemPage() {
  const { operator } = useScope();
  const { params } = usePage();
  if (operator.role !== 'admin') return <ForAdmins />;
  const tab = tabOf(params);
  switch (tab) {
    case 'health':
      return <HealthTab />;
    case 'messages':
      return <TroublesTab />;
    case 'jobs':
      return <JobsTab />;
    case 'audit':
      return <AuditTab />;
    case 'operators':
      return <OperatorsTab />;
    default:
      return tab satisfies never;
  }
}

function ForAdmins() {
  usePageContext({
    description: t('The state of the whole installation. Only admins see it.'),
    summary: t('Nothing is shown: the operator is no admin.'),
    tools: [],
  });
  return (
    <PageFrame title={t('System')} fill>
      <Notice title={t('For admins only')} text={t('Only an admin sees the state of the whole installation.')} />
    </PageFrame>
  );
}
