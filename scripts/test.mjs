// `npm test`: the set-up, then the checks that do not run the code, then the test suite. Arguments are passed to
// vitest.
import { join } from 'node:path';
import {
  ensureChromium,
  ensureConsole,
  ensureDependencies,
  ensureServer,
  main,
  root,
  run,
  SetupError,
} from './setup.mjs';

await main(async () => {
  const chromium = ensureChromium();
  const node = ensureDependencies();
  const [code, server] = await Promise.all([run(node, [join(root, 'scripts/check.mjs')]), ensureBuilds(node)]);
  if (code !== 0) throw new SetupError('The suite was not run: the check has to pass first.');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  process.exitCode = await run(node, [vitest, 'run', ...process.argv.slice(2)], {
    RAPPORT_CHROMIUM: chromium,
    // Server processes of tests run what `npm start` runs.
    RAPPORT_SERVER_MODULE: server,
  });
});

/**
 * @param {string} node the Node to build with
 * @returns {Promise<string>} the server's module
 */
async function ensureBuilds(node) {
  await ensureConsole(node);
  return ensureServer(node);
}
