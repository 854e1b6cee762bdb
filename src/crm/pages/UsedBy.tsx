/** The products whose settings name an integration. */
import { Group, Stack, Text } from '@mantine/core';
import { useEveryRow } from '../../kit/allIds.ts';
import { Loaded } from '../../kit/Loaded.tsx';
import { PageLink } from '../../kit/PageLink.tsx';
import { useEndpoint } from '../../kit/query.ts';
import { Section } from '../../kit/Section.tsx';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { products } from '../../products/contract.ts';
import { productIntegrations } from '../contract.ts';

export function UsedBy({ integrationId }: { integrationId: number }) {
  const { company, product } = useScope();
  const pairs = useEndpoint(productIntegrations.list, { query: { crm_integration_id: [integrationId], limit: 100 } });
  const named = useEveryRow(products, { company_id: company?.id });
  const nameOf = (id: number) => named.data?.find((one) => one.id === id)?.name ?? t('Product {{id}}', { id });
  return (
    <Section title={t('Used by')}>
      <Loaded query={pairs} entity={t('products')}>
        {({ items }) => (
          <Stack gap="xs">
            {items.map(({ product_id: id, config }) => (
              <Group key={id} gap="xs">
                <Text size="sm">
                  {/* Settings are those of the chosen product. */}
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
      </Loaded>
    </Section>
  );
}
