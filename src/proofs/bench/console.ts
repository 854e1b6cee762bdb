/** The scripts and styles that the console's first views load, as the build weighs them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { definePart } from '../harness/command.ts';
import { format, table } from '../harness/report.ts';

export const ROOT = join(import.meta.dirname, '../../..');

const weightsSchema = z.object({
  budget: z.object({ login: z.number(), page: z.number() }),
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
    const views = { 'sign-in': 'login', 'first list': FIRST_LIST, 'heaviest page': heaviest?.name };
    const rows = Object.entries(views).map(([view, name]) => {
      const { bytes = Number.NaN, files = Number.NaN } = weights.find((one) => one.name === name) ?? {};
      return [
        `${view} (${name})`,
        format(bytes / 1000, 'KB'),
        files,
        `${name === 'login' ? budget.login : budget.page} KB`,
      ];
    });
    return {
      text: `Each view's scripts and styles, gzipped. The build fails over the budget.

${table(['', 'gzipped', 'files', 'budget'], rows)}`,
      violations: [],
    };
  },
});

/** Build the console unless it is current. */
export function buildConsole(): void {
  const program = "import { ensureConsole } from './scripts/setup.mjs'; await ensureConsole(process.execPath);";
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT, stdio: 'inherit' });
}
