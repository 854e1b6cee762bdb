/** The cost of models for a lead or in a dialogue. */
import { Text } from '@mantine/core';
import { formatDollars } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { costOfDialogue, costOfLead, type Sums } from '../../costContract.ts';

/** Show `$0.12 · 14 runs`; if the request fails, no figure. */
export function ModelCost({ of, id }: { of: 'lead' | 'dialogue'; id: number }) {
  const { data } = useEndpoint(of === 'lead' ? costOfLead : costOfDialogue, { params: { id } });
  return (
    <>
      {data ? (
        costText(data)
      ) : (
        <Text span inherit c="dimmed">
          {t('…')}
        </Text>
      )}
    </>
  );
}

/** Return the cost, the number of runs, and the number without a known price. */
function costText({ runs, unpriced, cost }: Sums): string {
  if (runs === 0) return t('None');
  const parts = [
    unpriced > 0 && cost === 0 ? t('price unknown') : formatDollars(cost),
    t('{{count, number}} runs', { count: runs, defaultValue_one: '{{count}} run' }),
    ...(unpriced > 0 && cost > 0 ? [t('{{count, number}} without a known price', { count: unpriced })] : []),
  ];
  return parts.join(' · ');
}
