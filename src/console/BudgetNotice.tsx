import { Badge } from '@mantine/core';
import { PageLink } from '../kit/PageLink.tsx';
import { useEndpoint } from '../kit/query.ts';
import { t } from '../kit/t.ts';
import { readBudget } from '../llm/moneyContract.ts';

const READ_AGAIN_MS = 60_000;

/** Says on every page that the company's budget for models is nearly or wholly spent; else nothing. */
export function BudgetNotice({ companyId }: { companyId: number }) {
  const { data } = useEndpoint(readBudget, { params: { id: companyId } }, { refetchInterval: READ_AGAIN_MS });
  if (data?.state !== 'warning' && data?.state !== 'spent') return null;
  return (
    <PageLink to="crm-company-llms">
      <Badge color={data.state === 'spent' ? 'red' : 'yellow'}>
        {data.state === 'spent' ? t('Budget spent: replies pause') : t('80 % of the budget is spent')}
      </Badge>
    </PageLink>
  );
}
