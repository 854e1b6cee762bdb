/** External attack programs: check that they are installed, run them, and stop them in time. */
import { execFile, spawnSync } from 'node:child_process';

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
export function run(command: string, args: readonly string[], timeoutMs: number): Promise<Outcome> {
  const limits = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: Number.POSITIVE_INFINITY } as const;
  return new Promise((resolve) => {
    const child = execFile(command, args, limits, (_error, stdout, stderr) => {
      process.off('exit', stop);
      resolve({ output: `${stdout}${stderr}`, code: child.exitCode });
    });
    child.stdin?.end();
    const stop = (): void => void child.kill('SIGKILL');
    process.once('exit', stop);
  });
}
