/** What the parts of a simulated month share. */
import type { World } from '../../testing/world.ts';
import type { Era, SimulatedProduct } from './product.ts';
import type { Random } from './random.ts';

export const DAY = 86_400_000;

export interface Month {
  readonly seed: number;
  readonly leads: number;
  readonly days: number;
}

/** Something that is to happen at an instant of the domain clock, ms. */
export interface PlannedEvent {
  readonly at: number;
  readonly what: string;
  run(): Promise<void>;
}

export interface Simulation {
  readonly world: World;
  readonly random: Random;
  readonly product: SimulatedProduct;
  /** Settings, each from an instant on. */
  readonly eras: Era[];
  readonly from: number;
  readonly to: number;
  plan(happening: PlannedEvent): void;
  now(): Promise<number>;
}

export interface SimulatedServer {
  readonly kills: number;
  start(): Promise<void>;
  /** Kills the worker in the middle of whatever it does; another takes its place. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}
