import { Text } from '@mantine/core';
import { IconCoin } from '@tabler/icons-react';
import { useEffect } from 'react';
import { type Budget, readBudget } from '../llm/budgetContract.ts';
import { formatDollars } from '../ui/format.ts';
import { t } from '../ui/i18n.ts';
import { PageLink } from '../ui/PageLink.tsx';
import { useEndpoint } from '../ui/query.ts';
import { toast } from '../ui/toast.ts';
import classes from './BudgetNotice.module.css';
import { shouldNotify } from './budgetNotifications.ts';

const REFETCH_MS = 60_000;
const TOAST_MS = 15_000;

/** Banner above every page when the company's model budget is nearly or fully spent. Renders nothing otherwise. */
export function BudgetNotice({ companyId }: { companyId: number }) {
  const { data } = useEndpoint(readBudget, { params: { id: companyId } }, { refetchInterval: REFETCH_MS });
  useEffect(() => {
    if (data && shouldNotify(localStorage, companyId, data)) showToast(data);
  }, [companyId, data]);
  if (data?.state !== 'warning' && data?.state !== 'spent') return null;
  return (
    <aside className={classes.notice} data-state={data.state} aria-label={t('Model budget')}>
      <IconCoin size={16} aria-hidden />
      <Text size="sm" span>
        <PageLink to="crm-company-llms">
          {data.state === 'spent' ? t('Budget spent: replies pause') : t('80 % of the budget is spent')}
        </PageLink>
      </Text>
      <Text size="sm" span className={classes.figures}>
        {figures(data)}
      </Text>
    </aside>
  );
}

function figures({ spent_today, usd_per_day }: Budget): string {
  return t('{{spent}} of {{limit}} today', {
    spent: formatDollars(spent_today),
    limit: formatDollars(usd_per_day ?? 0),
  });
}

function showToast(budget: Budget): void {
  const values = { figures: figures(budget) };
  if (budget.state === 'spent') {
    toast.error(
      t(
        'Today’s model budget is spent: {{figures}}. Replies pause until the next UTC day or until the budget is raised.',
        values,
      ),
      { duration: TOAST_MS },
    );
  } else {
    toast.info(t('80 % of today’s model budget is spent: {{figures}}. At 100 % replies pause.', values), {
      duration: TOAST_MS,
    });
  }
}
