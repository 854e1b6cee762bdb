/** Has PostgreSQL read the statistics of tables that have grown, sooner than the autovacuum comes by. */
import { readGrownTables } from './store/statistics.ts';
import type { Sweep } from './sweeps.ts';

const LOOK_MS = 5000;

export const statisticsSweep: Sweep = {
  name: 'statistics',
  dueIn: null,
  async run({ pool }) {
    await readGrownTables(pool);
    return LOOK_MS;
  },
};
