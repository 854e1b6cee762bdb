/** Sweeps of the ledger of outcomes, of experiments, and of weekly reports. */
import type { Sweep } from '../jobs/sweeps.ts';
import { checkNextExperiment } from './checkExperiment.ts';
import { CHECK_DUE_IN } from './store/experiments.ts';
import { countHistory, HISTORY_DUE_IN } from './store/ledger.ts';
import { publishReports } from './weeklyReport.ts';

/** Leads whose history is counted in one transaction. */
const LEADS = 200;

export const outcomeSweeps: readonly Sweep[] = [
  {
    name: 'outcomes of history',
    dueIn: () => HISTORY_DUE_IN,
    run: (context) => context.transact(async (tx) => (await countHistory(tx, LEADS)) === LEADS),
  },
  {
    name: 'experiments',
    dueIn: () => CHECK_DUE_IN,
    run: (context) => context.transact((tx) => checkNextExperiment(tx, context.config)),
  },
  { name: 'weekly reports', dueIn: null, run: publishReports },
];
