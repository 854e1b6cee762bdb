/** What a process takes of the machine, where the system tells (Linux). */
import { readFileSync } from 'node:fs';

/** What it has worked so far, in milliseconds; the kernel counts in hundredths of a second (proc_pid_stat(5)). */
export function cpuMs(pid: number | undefined): number | null {
  const read = readProc(pid, 'stat');
  if (read === null) return null;
  const fields = read.replace(/^.*\) /s, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Its memory in megabytes: what is resident now, and the most that ever was. */
export function memoryMb(pid: number | undefined): { now: number; peak: number } | null {
  const read = readProc(pid, 'status');
  if (read === null) return null;
  const line = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(read)?.[1]) / 1024;
  return { now: line('VmRSS'), peak: line('VmHWM') };
}

function readProc(pid: number | undefined, file: 'stat' | 'status'): string | null {
  if (process.platform !== 'linux' || pid === undefined) return null;
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}
