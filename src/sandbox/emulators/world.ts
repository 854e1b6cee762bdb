/** Everything that the routes of the emulators use. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type AmoHooks, amoHooks } from './amocrm/hooks.ts';
import { domainClock, timers } from './clock.ts';
import type { Core } from './core.ts';
import { createFaults } from './faults.ts';
import { openJournal } from './journal.ts';
import type { Parts } from './parts.ts';
import { createReceipts, type Receipts } from './receipts.ts';
import { applyEntry, emptyState } from './state.ts';
import { messengerHooks } from './wazzup24/hooks.ts';

export interface World extends Parts {
  receipts: Receipts;
  /** Hooks of the emulated CRM. */
  amocrm: AmoHooks;
  /** Running model answers. */
  streams: { count: number };
  /** Whether the journal has been closed: later results are not recorded. */
  closed(): boolean;
}

/** Open the world stored in `dir` (created if missing). */
export function openWorld(dir: string): World {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const clock = domainClock();
  const state = emptyState();
  const journal = openJournal(join(dir, 'journal.jsonl'), clock, (entry) => {
    applyEntry(state, entry);
    if (entry.kind === 'clock') clock.set(entry.offset);
  });
  const core: Core = { state, journal, clock, timers: timers(), faults: createFaults(state, journal) };
  const parts: Parts = { ...core, hooks: messengerHooks(core) };
  return {
    ...parts,
    receipts: createReceipts(parts),
    amocrm: amoHooks(core),
    streams: { count: 0 },
    closed: () => journal.closed(),
  };
}

export async function closeWorld(world: World): Promise<void> {
  world.timers.close();
  await world.hooks.close();
  await world.amocrm.close();
  world.journal.close();
}
