/**
 * Costs of models in the heading of the credentials page: today's spending, and the dialogs for spending, budget and
 * prices.
 */
import { Badge, Button } from '@mantine/core';
import { IconChartBar, IconCoin, IconReportMoney } from '@tabler/icons-react';
import { useState } from 'react';
import { formatDollars } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { useEndpoint } from '../../ui/query.ts';
import { type Budget, readBudget } from '../budgetContract.ts';
import { BudgetDialog } from './BudgetDialog.tsx';
import { PricesDialog } from './PricesDialog.tsx';
import { SpendingDialog } from './shared/SpendingDialog.tsx';

const TONES: Readonly<Record<Budget['state'], string>> = {
  none: 'gray',
  fine: 'green',
  warning: 'yellow',
  spent: 'red',
};

/** Today's spending, as a badge in the heading. */
export function SpentBadge({ companyId }: { companyId: number }) {
  const { data } = useEndpoint(readBudget, { params: { id: companyId } }, { staleTime: 0 });
  if (!data) return null;
  return (
    <Badge color={TONES[data.state]} role="status">
      {data.usd_per_day === null
        ? t('{{spent}} today', { spent: formatDollars(data.spent_today) })
        : t('{{spent}} of {{limit}} today', {
            spent: formatDollars(data.spent_today),
            limit: formatDollars(data.usd_per_day),
          })}
    </Badge>
  );
}

/** The buttons of the heading. */
export function BudgetButtons({ companyId, admin }: { companyId: number; admin: boolean }) {
  const [open, setOpen] = useState<'spending' | 'budget' | 'prices' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconChartBar size="1rem" />}
        onClick={() => setOpen('spending')}
      >
        {t('Spending')}
      </Button>
      <Button size="xs" variant="default" leftSection={<IconCoin size="1rem" />} onClick={() => setOpen('budget')}>
        {t('Budget')}
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconReportMoney size="1rem" />}
        onClick={() => setOpen('prices')}
      >
        {t('Prices')}
      </Button>
      {open === 'spending' && <SpendingDialog companyId={companyId} onClose={close} />}
      {open === 'budget' && <BudgetDialog companyId={companyId} onClose={close} />}
      {open === 'prices' && <PricesDialog admin={admin} onClose={close} />}
    </>
  );
}
