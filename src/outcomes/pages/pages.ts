/** The dashboard, Insights and experiments, for the console's registry. */
import { IconChartFunnel, IconFlask, IconLayoutDashboard } from '@tabler/icons-react';
import { products } from '../../products/contract.ts';
import { pageRow } from '../../ui/pageRow.ts';
import { lazyPage, type PageEntry } from '../../ui/pages.ts';
import { experiments } from '../experimentContract.ts';

export const outcomePages: readonly PageEntry[] = [
  {
    key: 'dashboard',
    title: 'Dashboard',
    label: 'Dashboard',
    group: 'main',
    icon: IconLayoutDashboard,
    order: 1,
    needs: null,
    ...lazyPage(() => import('./DashboardPage.tsx')),
  },
  {
    key: 'insights',
    title: 'Insights',
    label: 'Insights',
    group: 'Product',
    icon: IconChartFunnel,
    order: 10,
    needs: 'product',
    ...lazyPage(() => import('./InsightsPage.tsx')),
  },
  {
    key: 'insights-attempts',
    title: 'Attempts',
    group: null,
    parent: 'insights',
    needs: 'product',
    ...lazyPage(() => import('./AttemptsPage.tsx')),
  },
  {
    key: 'insights-report',
    title: 'Weekly report',
    group: null,
    parent: 'insights',
    needs: 'product',
    rows: [
      pageRow(
        { param: 'productId', singular: 'product', list: 'insights', optional: true, read: () => products.get },
        ({ id }) => ({ product_id: id }),
      ),
    ],
    ...lazyPage(() => import('./ReportPage.tsx')),
  },
  {
    key: 'experiments',
    title: 'Experiments',
    label: 'Experiments',
    group: 'Product',
    icon: IconFlask,
    order: 10.5,
    needs: 'product',
    ...lazyPage(() => import('./experiments/ExperimentsPage.tsx')),
  },
  {
    key: 'experiment-detail',
    title: 'Experiment',
    group: null,
    parent: 'experiments',
    needs: 'product',
    rows: [
      pageRow(
        {
          param: 'experimentId',
          singular: 'experiment',
          list: 'experiments',
          optional: true,
          read: () => experiments.get,
        },
        (experiment) => experiment,
      ),
    ],
    ...lazyPage(() => import('./experiments/ExperimentDetailPage.tsx')),
  },
];
