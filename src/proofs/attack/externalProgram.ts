/** External attack programs: check that they are installed, run them, and stop them in time. */
import { spawn, spawnSync } from 'node:child_process';

export interface Outcome {
  readonly output: string;
  /** Exit code; null if the program was stopped because it exceeded its timeout. */
  readonly code: number | null;
}

/** Throw unless a program is installed. */
export function requireProgram(command: string): void {
  const { error } = spawnSync(command, ['--version'], { stdio: 'ignore' });
  if (error !== undefined) throw new Error(`${command} is not installed: apt-get install ${command}`);
}

/** Run a program until it exits or the timeout passes. */
export async function run(command: string, args: readonly string[], timeoutMs: number): Promise<Outcome> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  // The child must not outlive this process.
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
