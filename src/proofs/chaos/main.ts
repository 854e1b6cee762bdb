/**
 * Guarantees that must hold whichever process dies. `npm run chaos` runs every part and writes bench/CHAOS.md; it exits
 * with code 1 if one does not hold.
 * - `--only messages,hooks`: run these parts; the report keeps the others. `--quick`: small sizes. `--no-report`: write
 *   none.
 * - `--seed S` repeats the same choices. `--keep`: keep the files of `messages`. `--faketime`: skew clocks with
 *   libfaketime instead of a preload.
 * - `messages`: `--messages M --kills K --restarts R`; `hooks`: `--rate N --seconds S`; `disk`: `--fills N`, as root,
 *   on Linux; `firsts`: `--leads L --limit N --interval SECONDS --days D --deaths K --workers 0,0,10,-10` (minutes by
 *   which their clocks are wrong); `crm`: `--cards C --moves M --deaths K`; `vendors`: `--people P --rounds R`;
 *   `windows`.
 */
import { parts } from './parts.ts';
import { type Outcome, writeOutcome } from './report.ts';
import { readSettings } from './settings.ts';

// On a signal it ends its processes too: each has an exit handler.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const startedAt = performance.now();
const clock = (): string => {
  const all = Math.round((performance.now() - startedAt) / 1000);
  return `${String(Math.floor(all / 60)).padStart(3)}:${String(all % 60).padStart(2, '0')}`;
};
const settings = readSettings(process.argv.slice(2), (line) => console.log(`${clock()}  ${line}`));
const { log } = settings;

let broken = 0;
for (const part of settings.parts) {
  log(`${part}, seed ${settings.seed}`);
  const outcome = await parts[part](settings).catch((error: unknown): Outcome => {
    console.error(error);
    const text = `It could not be carried through: ${error instanceof Error ? error.message : String(error)}`;
    return { passed: false, command: `npm run chaos -- --only ${part} --seed ${settings.seed}`, text };
  });
  for (const line of outcome.text.split('\n')) if (line !== '') log(`  ${line}`);
  log(`${part}: ${outcome.passed ? 'every promise held' : `not everything held; again by: ${outcome.command}`}`);
  if (!outcome.passed) broken++;
  if (settings.report) writeOutcome(part, outcome);
}
process.exit(broken === 0 ? 0 : 1);
