/** The parts that all emulated vendors share. */
import type { DomainClock, Timers } from './clock.ts';
import type { Faults } from './faults.ts';
import type { Journal } from './journal.ts';
import type { State } from './state.ts';

export interface Core {
  state: State;
  journal: Journal;
  clock: DomainClock;
  /** Pending actions of the vendors that can be run early: statuses, retries, delayed hooks. */
  timers: Timers;
  faults: Faults;
}
