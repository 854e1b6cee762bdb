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
/** Kilobytes, gzipped. */
const TARGET_KB = { login: 110, list: 260 };

export const console = definePart({
  heading: 'Scripts and styles of the console',
  options: {},
  async run() {
    buildConsole();
    const text = readFileSync(join(ROOT, 'dist/weights.json'), 'utf8');
    const { budget, weights } = weightsSchema.parse(JSON.parse(text));
    const [heaviest] = weights.filter(({ name }) => name !== 'login');
    const views = [
      { view: 'sign-in', name: 'login', allowed: budget.login, target: TARGET_KB.login },
      { view: 'first list', name: FIRST_LIST, allowed: budget.list, target: TARGET_KB.list },
      { view: 'heaviest page', name: heaviest?.name, allowed: budget.page, target: null },
    ].map((one) => ({
      ...one,
      kilobytes: (weights.find(({ name }) => name === one.name)?.bytes ?? Number.NaN) / 1000,
      files: weights.find(({ name }) => name === one.name)?.files ?? Number.NaN,
    }));
    return {
      text: `Each view's scripts and styles, gzipped. The build fails over the budget.

${table(
  ['', 'gzipped', 'files', 'budget', 'target'],
  views.map(({ view, name, kilobytes, files, allowed, target }) => [
    `${view} (${name})`,
    format(kilobytes, 'KB'),
    files,
    `${allowed} KB`,
    target === null ? '' : `${target} KB`,
  ]),
)}`,
      violations: views
        .filter(({ kilobytes, target }) => target !== null && kilobytes > target)
        .map(({ view, kilobytes, target }) => `${view}: ${format(kilobytes, 'KB')}, the target is ${target} KB`),
    };
  },
});
