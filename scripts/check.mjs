// `npm run check`: all checks of the sources that do not run them.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureDependencies, main, print, root } from './setup.mjs';

/** @type {[name: string, command: string, ...args: string[]][]} */
const steps = [
  ['types', 'tsc', '--noEmit', '-p', '.'],
  ['lint', 'oxlint', '--type-aware', '--deny-warnings'],
  ['format', 'biome', 'check', '--error-on-warnings'],
  ['unused', 'knip'],
  ['structure', 'node', 'scripts/structure.mjs'],
];

await main(async () => {
  const node = ensureDependencies();
  const failures = [];
  const waiting = [...steps];
  // Two at a time: the machines that run this have two cores.
  await Promise.all(
    [1, 2].map(async () => {
      for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
        const [name, command, ...args] = step;
        const started = performance.now();
        const { code, output } = await capture(node, command, args);
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        if (code === 0) print(`  ok      ${name} (${seconds} s)`);
        else {
          failures.push(name);
          print(`  FAILED  ${name}: ${command} ${args.join(' ')}\n${output}`);
        }
      }
    }),
  );
  if (failures.length > 0) {
    print(`The check found something: ${failures.join(', ')}. Each report stands above.`);
    process.exitCode = 1;
  }
});

/**
 * @param {string} node
 * @param {string} command a program of a dependency
 * @param {string[]} args
 * @returns {Promise<{ code: number, output: string }>}
 */
function capture(node, command, args) {
  const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH ?? ''}`;
  const program = join(root, 'node_modules/.bin', command);
  if (!existsSync(program)) return Promise.resolve({ code: 1, output: `${command} is not installed.` });
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, PATH: path, NODE: node, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => {
        output += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
