import { t } from '../../ui/i18n.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { useScope } from '../../ui/scope.ts';
import { AuditTab } from './AuditTab.tsx';
import { DeliveryFailuresTab } from './DeliveryFailuresTab.tsx';
import { HealthTab } from './HealthTab.tsx';
import { OperatorsTab } from './OperatorsTab.tsx';
import { tabOf } from './tabs.ts';

/** State of the whole installation, for admins. Each tab has its own URL. */
export default function SystemPage() {
  const { operator } = useScope();
  const { params } = usePage();
  if (operator.role !== 'admin') return <ForAdmins />;
  const tab = tabOf(params);
  switch (tab) {
    case 'health':
      return <HealthTab />;
    case 'messages':
      return <DeliveryFailuresTab />;
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
    summary: t('Nothing is shown: the operator is not an admin.'),
    tools: [],
  });
  return (
    <PageFrame title={t('System')} fill>
      <Notice title={t('For admins only')} text={t('Only an admin sees the state of the whole installation.')} />
    </PageFrame>
  );
}
