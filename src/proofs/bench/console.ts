/** The scripts and styles that the console's first views load, as the build weighs them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { buildConsole, ROOT } from '../../testing/builds.ts';
import { definePart } from '../harness/command.ts';
import { format, table } from '../harness/report.ts';

const weightsSchema = z.object({
  budget: z.object({ login: z.number(), list: z.number(), page: z.number() }),
  weights: z.array(z.object({ name: z.string(), bytes: z.number(), files: z.number() })),
});
const FIRST_LIST = 'LeadsPage';

export const console = definePart({
  heading: 'Scripts and styles of the console',
  options: {},
  async run() {
    buildConsole();
    const text = readFileSync(join(ROOT, 'dist/weights.json'), 'utf8');
    const { budget, weights } = weightsSchema.parse(JSON.parse(text));
    const [heaviest] = weights.filter(({ name }) => name !== 'login');
    const views = [
      ['sign-in', 'login', budget.login],
      ['first list', FIRST_LIST, budget.list],
      ['heaviest page', heaviest?.name, budget.page],
    ] as const;
    const rows = views.map(([view, name, allowed]) => {
      const { bytes = Number.NaN, files = Number.NaN } = weights.find((one) => one.name === name) ?? {};
      return [`${view} (${name})`, format(bytes / 1000, 'KB'), files, `${allowed} KB`];
    });
    return {
      text: `Each view's scripts and styles, gzipped. The build fails over the budget.

${table(['', 'gzipped', 'files', 'budget'], rows)}`,
      violations: [],
    };
  },
});
