/** The parts that every route of the emulators uses. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type AmoHooks, amoHooks } from './amocrm/hooks.ts';
import { type DomainClock, domainClock, type Timers, timers } from './clock.ts';
import { createFaults, type Faults } from './faults.ts';
import { type Journal, openJournal } from './journal.ts';
import { applyEntry, emptyState, type State } from './state.ts';
import { type Hooks, hookDelivery } from './wazzup24/hooks.ts';
import { type Receipts, receipts } from './wazzup24/receipts.ts';

export interface World {
  state: State;
  journal: Journal;
  clock: DomainClock;
  /** Pending actions of the vendors that can be run early: statuses, retries, delayed hooks. */
  timers: Timers;
  faults: Faults;
  hooks: Hooks;
  receipts: Receipts;
  /** Hooks of the emulated CRM. */
  amocrm: AmoHooks;
  /** Running model answers. */
  streams: { count: number };
  /** Whether the journal has been closed: later results are not recorded. */
  closed(): boolean;
}

/** Open the world stored in `dir` (created if missing) and resume what was pending. */
export function openWorld(dir: string): World {
  mkdirSync(dir, { recursive: true });
  const clock = domainClock();
  const state = emptyState();
  const journal = openJournal(join(dir, 'journal.jsonl'), clock, (entry) => {
    applyEntry(state, entry);
    if (entry.kind === 'clock') clock.set(entry.offset);
  });
  const pending = timers();
  const faults = createFaults(state, journal);
  const hooks = hookDelivery({ state, journal, timers: pending, faults });
  const statuses = receipts({ state, journal, clock, timers: pending, faults, hooks });
  return {
    state,
    journal,
    clock,
    timers: pending,
    faults,
    hooks,
    receipts: statuses,
    amocrm: amoHooks({ state, journal, timers: pending, faults }),
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
