/** What the parts of a simulated month share. */
import type { World } from '../testing/world.ts';
import type { Chance } from './chance.ts';
import type { Era, SimulatedProduct } from './product.ts';

export const DAY = 86_400_000;

export interface Month {
  readonly seed: number;
  readonly leads: number;
  readonly days: number;
}

/** Something that is to happen at an instant of the domain clock, ms. */
export interface Happening {
  readonly at: number;
  readonly what: string;
  run(): Promise<void>;
}

export interface Stage {
  readonly world: World;
  readonly chance: Chance;
  readonly product: SimulatedProduct;
  /** Settings, each from an instant on. */
  readonly eras: Era[];
  readonly from: number;
  readonly to: number;
  plan(happening: Happening): void;
  now(): Promise<number>;
}

export interface Server {
  readonly kills: number;
  start(): Promise<void>;
  /** Kills the worker in the middle of whatever it does; another takes its place. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}
