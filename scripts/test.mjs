// `npm test`: the set-up, then the checks that do not run the code, then the test suite. Arguments are passed to
// vitest.
import { join } from 'node:path';
import { ensureChromium, ensureConsole, ensureDependencies, main, root, run, SetupError } from './setup.mjs';

await main(async () => {
  const chromium = ensureChromium();
  const node = ensureDependencies();
  const [code] = await Promise.all([run(node, [join(root, 'scripts/check.mjs')]), ensureConsole(node)]);
  if (code !== 0) throw new SetupError('The suite was not run: the check has to pass first.');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  process.exitCode = await run(node, [vitest, 'run', ...process.argv.slice(2)], { RAPPORT_CHROMIUM: chromium });
});
