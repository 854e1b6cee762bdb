/** Runs tests in a tree and reports the result of each. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';

export const ROOT = resolve(import.meta.dirname, '../../..');
/** A mutation may leave a test waiting without end; the timeout detects that too. */
const TIMEOUT_MS = 6 * 60_000;

/** A PostgreSQL for tests, and the migrated template on it. */
export interface Server {
  readonly adminUrl: string;
  readonly template: string;
}

interface TestRun {
  readonly tests: readonly { readonly name: string; readonly failed: boolean }[];
  readonly output: string;
}

const report = z.object({
  testResults: z.array(z.object({ assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })) })),
});

/**
 * Run the tests of a file whose names contain one of `named`. `server` avoids starting a PostgreSQL of its own; it is
 * null if migrations were changed, so that everything is created again.
 */
export async function runTests(
  folder: string,
  test: string,
  testNames: readonly string[],
  server: Server | null,
): Promise<TestRun> {
  const reportFile = join(folder, 'report.json');
  rmSync(reportFile, { force: true });
  const pattern = testNames.map((one) => one.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', test, '-t', pattern, '--reporter=json', `--outputFile=${reportFile}`];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      RAPPORT_TESTS: 'all',
      ...(server ? { RAPPORT_TEST_DATABASE_URL: server.adminUrl, RAPPORT_TEST_TEMPLATE: server.template } : {}),
    },
  });
  const end = (): void => {
    // Kill the process group, which includes its workers.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  process.once('exit', end);
  const timer = setTimeout(end, TIMEOUT_MS);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  await new Promise((closed) => child.once('close', closed));
  clearTimeout(timer);
  process.off('exit', end);
  try {
    const { testResults } = report.parse(JSON.parse(readFileSync(reportFile, 'utf8')));
    const tests = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status }) => ({ name: fullName, failed: status === 'failed' }));
    return { tests, output };
  } catch {
    return { tests: child.signalCode === 'SIGKILL' ? [{ name: test, failed: true }] : [], output };
  }
}
