/** Follows a run of the studio. */
import { setTimeout as pause } from 'node:timers/promises';
import { readStudioRun, type StudioRun, studioRun } from '../../studio/runContract.ts';
import type { Client } from '../../testing/client.ts';

const POLL_MS = 100;

/** Read a run of the studio. */
export async function readRun(operator: Client, id: number): Promise<StudioRun> {
  return studioRun.parse((await operator.call(readStudioRun, { params: { id } })).body);
}

/** Wait until a run has ended. */
export async function waitForStudioRun(operator: Client, id: number): Promise<StudioRun> {
  for (;;) {
    const run = await readRun(operator, id);
    if (run.finished_at !== null) return run;
    await pause(POLL_MS);
  }
}
