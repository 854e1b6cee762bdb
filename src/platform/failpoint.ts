/**
 * Named points on the path of a message at which a test can kill the process, as a power cut would.
 * `RAPPORT_FAILPOINT=name:3` kills at the third pass of `name`; `RAPPORT_FAILPOINT_LOG=file` only logs every pass.
 */
import { appendFileSync } from 'node:fs';

const [target, killAtPass] = (process.env.RAPPORT_FAILPOINT ?? '').split(':');
const log = process.env.RAPPORT_FAILPOINT_LOG;
const passes = new Map<string, number>();

export function failpoint(name: string): void {
  if (!target && !log) return;
  if (log) appendFileSync(log, `${name}\n`);
  if (name !== target) return;
  const pass = (passes.get(name) ?? 0) + 1;
  passes.set(name, pass);
  if (pass === Number(killAtPass ?? 1)) process.kill(process.pid, 'SIGKILL');
}
