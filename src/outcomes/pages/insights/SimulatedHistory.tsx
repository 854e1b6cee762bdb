/** Says in a sandbox that the demo's history is simulated. */
import { Text } from '@mantine/core';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { readSimulatedHistory } from '../../simulatedHistoryContract.ts';
import { dayRange } from './dayText.ts';

export function SimulatedHistory() {
  const { sandbox, product } = useScope();
  const args = { query: { product_id: product?.id ?? 0 } };
  const { data } = useEndpoint(readSimulatedHistory, args, { enabled: sandbox && product !== null });
  if (!data?.history) return null;
  const { leads, from, to } = data.history;
  return (
    <Text size="sm" c="dimmed">
      {t('Simulated history: {{count, number}} leads, {{days}}, made from the rates that the guide states.', {
        count: leads,
        days: dayRange(from, to),
      })}
    </Text>
  );
}
