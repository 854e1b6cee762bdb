/** CPU and memory of a process, where the system reports them (Linux). */
import { readFileSync } from 'node:fs';

/** Return the CPU time so far in milliseconds; the kernel counts in hundredths of a second (proc_pid_stat(5)). */
export function cpuMs(pid: number | undefined): number | null {
  const read = readProc(pid, 'stat');
  if (read === null) return null;
  const fields = read.replace(/^.*\) /s, '').split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Return the memory in megabytes: resident now, and the peak. */
export function memoryMb(pid: number | undefined): { now: number; peak: number } | null {
  const read = readProc(pid, 'status');
  if (read === null) return null;
  const line = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(read)?.[1]) / 1024;
  return { now: line('VmRSS'), peak: line('VmHWM') };
}

/**
 * Return PostgreSQL's CPU time so far in milliseconds, of running and ended processes. `postmaster` is its first
 * process.
 */
export function clusterCpuMs(postmaster: number): number | null {
  const own = readProc(postmaster, 'stat');
  if (own === null) return null;
  // Ended children that were waited for are counted with the parent (cutime, cstime).
  const fields = own.replace(/^.*\) /s, '').split(' ');
  const ended = (Number(fields[13]) + Number(fields[14])) * 10;
  return clusterPids(postmaster).reduce((sum, pid) => sum + (cpuMs(pid) ?? 0), ended);
}

/** Return the process ids of PostgreSQL, on Linux. */
export function clusterPids(postmaster: number): number[] {
  const children = readProc(postmaster, `task/${postmaster}/children`)?.trim().split(' ') ?? [];
  return [postmaster, ...children.map(Number)];
}

/** Return the proportional memory (PSS) of processes together in megabytes: shared pages count once. */
export function sharedMemoryMb(pids: readonly (number | undefined)[]): number | null {
  const kilobytes = pids.map((pid) => /^Pss:\s+(\d+) kB/m.exec(readProc(pid, 'smaps_rollup') ?? '')?.[1]);
  return kilobytes.includes(undefined) ? null : kilobytes.reduce((sum, one) => sum + Number(one), 0) / 1024;
}

/** Sample the memory of processes during a load. `stop` returns the resident megabytes of the largest, at most. */
export function sampleMemory(pids: readonly (number | undefined)[]): { stop(): number } {
  let most = 0;
  const sample = (): void => {
    for (const pid of pids) most = Math.max(most, memoryMb(pid)?.now ?? 0);
  };
  const timer = setInterval(sample, 1000);
  return {
    stop() {
      clearInterval(timer);
      sample();
      return most;
    },
  };
}

function readProc(pid: number | undefined, file: string): string | null {
  if (process.platform !== 'linux' || pid === undefined) return null;
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return null;
  }
}
