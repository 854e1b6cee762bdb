/** What models cost in each period, in US dollars. */
import '@mantine/charts/styles.layer.css';
import { BarChart } from '@mantine/charts';
import { formatDollars } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';

interface CostChartProps {
  periods: readonly { readonly label: string; readonly cost: number }[];
}

export default function CostChart({ periods }: CostChartProps) {
  return (
    <BarChart
      h={240}
      data={periods.map(({ label, cost }) => ({ label, cost }))}
      dataKey="label"
      series={[{ name: 'cost', label: t('Cost'), color: 'accent.5' }]}
      yAxisLabel={t('Cost of models, USD')}
      yAxisProps={{ width: 80 }}
      tickLine="none"
      textColor="dimmed"
      maxBarWidth={40}
      valueFormatter={formatDollars}
    />
  );
}
