/** Other people's programs that attack: found, run, and ended in time. */
import { spawn, spawnSync } from 'node:child_process';

export interface Outcome {
  readonly output: string;
  /** Null: it was ended for taking too long. */
  readonly code: number | null;
}

/** What is to be said when a program is not installed; null: it is. */
export function notInstalledMessage(command: string, installs: string): string | null {
  const { error } = spawnSync(command, ['--version'], { stdio: 'ignore' });
  return error === undefined ? null : `${command} is not installed: ${installs}`;
}

/** Runs a program to its end, or for so long. */
export async function run(command: string, args: readonly string[], timeoutMs: number): Promise<Outcome> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  // Nothing of it outlives this program.
  const atExit = (): void => void child.kill('SIGKILL');
  process.once('exit', atExit);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once('error', () => resolve(null));
  child.once('close', resolve);
  const code = await promise;
  clearTimeout(late);
  process.off('exit', atExit);
  return { output, code };
}
