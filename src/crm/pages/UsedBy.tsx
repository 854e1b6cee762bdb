/** The products that use an integration. */
import { Group, Stack, Text } from '@mantine/core';
import { products } from '../../products/contract.ts';
import { useAllRows } from '../../ui/fetchAllRows.ts';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { QueryList } from '../../ui/QueryList.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import { useScope } from '../../ui/scope.ts';
import { productIntegrations } from '../contract.ts';

export function UsedBy({ integrationId }: { integrationId: number }) {
  const { company, product } = useScope();
  const integrations = useEndpoint(productIntegrations.list, {
    query: { crm_integration_id: [integrationId], limit: 100 },
  });
  const productRows = useAllRows(products, { company_id: company?.id });
  const nameOf = (id: number) => productRows.data?.find((one) => one.id === id)?.name ?? t('Product {{id}}', { id });
  return (
    <Section title={t('Used by')}>
      <QueryList query={integrations} entity={t('products')}>
        {({ items }) => (
          <Stack gap="xs">
            {items.map(({ product_id: id, config }) => (
              <Group key={id} gap="xs">
                <Text size="sm">
                  {/* The settings page shows the chosen product, so only that one gets a link. */}
                  {id === product?.id ? <PageLink to="settings-integration">{nameOf(id)}</PageLink> : nameOf(id)}
                </Text>
                <Text size="sm" c="dimmed">
                  {t('{{count}} pipelines', { count: config.pipelines.length, defaultValue_one: '{{count}} pipeline' })}
                  {config.import_enabled ? t(', cards are imported') : t(', cards are not imported')}
                </Text>
              </Group>
            ))}
          </Stack>
        )}
      </QueryList>
    </Section>
  );
}
