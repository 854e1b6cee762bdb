/** Page of how the chosen product uses a CRM account: import, custom fields, and the steps of each stage. */
import { Badge, Button } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useState } from 'react';
import { t } from '../../ui/i18n.ts';
import { emptyContext } from '../../ui/loadingContext.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { PageLoading } from '../../ui/PageLoading.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { useEndpoint, useFreshQuery } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { type CrmIntegration, crmIntegrations, productIntegrations } from '../contract.ts';
import { IntegrationEditor } from './IntegrationEditor.tsx';

const DESCRIPTION = t('How the chosen product uses a CRM account.');
const MAX_INTEGRATIONS = 100;
const ASCENDING = 'asc' as const;

export default function IntegrationSettingsPage() {
  const { company, product } = useScope();
  const productId = product?.id ?? 0;
  const listArgs = (isActive: boolean) => ({
    query: { company_id: [company?.id ?? 0], is_active: [isActive], limit: MAX_INTEGRATIONS, order: ASCENDING },
  });
  const active = useEndpoint(crmIntegrations.list, listArgs(true), { staleTime: 0 });
  const inactive = useEndpoint(crmIntegrations.list, listArgs(false), { staleTime: 0 });
  const productSettings = useFreshQuery(productIntegrations.list, {
    query: { product_id: [productId], limit: MAX_INTEGRATIONS },
  });
  const [chosen, choose] = useState<number | null>(null);
  if (active.data && inactive.data && productSettings.data) {
    const used = productSettings.data.items;
    const isUsed = ({ id }: CrmIntegration) => used.some((settings) => settings.crm_integration_id === id);
    // An integration that the product uses stays listed when its account is disconnected.
    const options = [
      ...active.data.items.filter(isUsed),
      ...active.data.items.filter((one) => !isUsed(one)),
      ...inactive.data.items.filter((one) => isUsed(one) || one.id === chosen),
    ];
    const integration = options.find(({ id }) => id === chosen) ?? options[0];
    if (!integration) return <NoIntegration />;
    return (
      <IntegrationEditor
        key={`${productId} ${integration.id}`}
        productId={productId}
        integration={integration}
        options={options}
        loaded={used.find((settings) => settings.crm_integration_id === integration.id) ?? null}
        onChoose={choose}
      />
    );
  }
  const error = active.error ?? inactive.error ?? productSettings.error;
  return (
    <PageLoading
      title={t('Integration Settings')}
      entity={t('integration settings')}
      description={DESCRIPTION}
      error={error}
      onRetry={() => void Promise.all([active.refetch(), inactive.refetch(), productSettings.refetch()])}
    />
  );
}

function NoIntegration() {
  const page = usePage();
  const connect = () => page.go('crm-integrations', {});
  usePageContext(
    emptyContext({
      description: DESCRIPTION,
      state: 'Status: Not Configured. The company has no CRM account connected yet.',
      goTo: { name: 'open_crm_integrations', title: t('Opens the page where an account is connected.'), run: connect },
    }),
  );
  return (
    <PageFrame title={t('Integration Settings')} fill aside={<Badge color="gray">{t('Not Configured')}</Badge>}>
      <Notice
        title={t('No CRM account is connected')}
        text={t('Connect amoCRM for the company first, then choose its pipelines here.')}
        action={
          <Button mt="xs" leftSection={<IconPlugConnected size="1rem" />} onClick={connect}>
            {t('Go to CRM Integrations')}
          </Button>
        }
      />
    </PageFrame>
  );
}
