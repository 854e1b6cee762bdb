/** Data that the parts of a simulated month share. */
import type { World } from '../../testing/world.ts';
import type { Random } from '../harness/random.ts';
import type { Era, SimulatedProduct } from './product.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const formatTime = (at: number): string => new Date(at).toISOString();

export interface Month {
  readonly seed: number;
  readonly leads: number;
  readonly days: number;
}

/** An event planned for an instant of the domain clock, in milliseconds. */
export interface PlannedEvent {
  readonly at: number;
  readonly what: string;
  run(): Promise<void>;
}

export interface Simulation {
  readonly world: World;
  readonly random: Random;
  readonly product: SimulatedProduct;
  /** Settings with the instant each applies from. */
  readonly eras: Era[];
  readonly from: number;
  readonly to: number;
  readonly plan: (planned: PlannedEvent) => void;
  readonly now: () => Promise<number>;
}

export interface SimulatedServer {
  readonly kills: number;
  /** Kill the worker at any point of its work and start another. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}
