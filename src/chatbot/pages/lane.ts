/** A conversation of the playground: with which model, and the way to speak in it. */
import { createRef, type RefObject } from 'react';
import type { LaneChoice, LaneHandle } from './ChatLane.tsx';

/** So many stand beside each other. */
export const MOST_LANES = 3;

export interface Lane {
  readonly id: string;
  readonly choice: LaneChoice;
  readonly handle: RefObject<LaneHandle | null>;
}

export function newLane(choice: LaneChoice): Lane {
  return { id: crypto.randomUUID(), choice, handle: createRef<LaneHandle>() };
}
