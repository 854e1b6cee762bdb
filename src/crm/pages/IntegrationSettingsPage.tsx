/** How the chosen product uses a CRM account: import, custom fields, and the steps that belong to the stages. */
import { Button, Skeleton } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useState } from 'react';
import { Failure } from '../../kit/Failure.tsx';
import { Notice } from '../../kit/Notice.tsx';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { useAnew, useEndpoint } from '../../kit/query.ts';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { type CrmIntegration, crmIntegrations, productIntegrations } from '../contract.ts';
import { IntegrationEditor } from './IntegrationEditor.tsx';

const MOST = 100;
const ASCENDING = 'asc' as const;

export default function IntegrationSettingsPage() {
  const { company, product } = useScope();
  const productId = product?.id ?? 0;
  const listed = (isActive: boolean) => ({
    query: { company_id: [company?.id ?? 0], is_active: [isActive], limit: MOST, order: ASCENDING },
  });
  const active = useEndpoint(crmIntegrations.list, listed(true), { staleTime: 0 });
  const inactive = useEndpoint(crmIntegrations.list, listed(false), { staleTime: 0 });
  const pairs = useAnew(productIntegrations.list, { query: { product_id: [productId], limit: MOST } });
  const [chosen, choose] = useState<number | null>(null);
  if (active.data && inactive.data && pairs.data) {
    const used = pairs.data.items;
    const isUsed = ({ id }: CrmIntegration) => used.some((pair) => pair.crm_integration_id === id);
    // One that the product uses stays to be seen when its account is disconnected.
    const options = [
      ...active.data.items.filter(isUsed),
      ...active.data.items.filter((one) => !isUsed(one)),
      ...inactive.data.items.filter((one) => isUsed(one) || one.id === chosen),
    ];
    const integration = options.find(({ id }) => id === chosen) ?? options[0];
    if (!integration) return <None />;
    return (
      <IntegrationEditor
        key={`${productId} ${integration.id}`}
        productId={productId}
        integration={integration}
        options={options}
        found={used.find((pair) => pair.crm_integration_id === integration.id) ?? null}
        onChoose={choose}
      />
    );
  }
  const error = active.error ?? inactive.error ?? pairs.error;
  return (
    <Unread error={error} onRetry={() => void Promise.all([active.refetch(), inactive.refetch(), pairs.refetch()])} />
  );
}

function Unread({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  return (
    <PageFrame title={t('Integration Settings')}>
      {error ? (
        <Failure error={error} onRetry={onRetry} />
      ) : (
        <Skeleton height="20rem" aria-label={t('Loading {{entity}}...', { entity: t('integration settings') })} />
      )}
    </PageFrame>
  );
}

function None() {
  const page = usePage();
  usePageContext({
    description: t('How the chosen product uses a CRM account. The company has none connected yet.'),
    summary: '',
    tools: [],
  });
  return (
    <PageFrame title={t('Integration Settings')} fill>
      <Notice
        title={t('No CRM account is connected')}
        text={t('Connect amoCRM for the company first; then its pipelines can be chosen here.')}
        action={
          <Button
            mt="xs"
            leftSection={<IconPlugConnected size="1rem" />}
            onClick={() => page.go('crm-integrations', {})}
          >
            {t('Go to CRM Integrations')}
          </Button>
        }
      />
    </PageFrame>
  );
}
