/** A conversation of the playground: with which model, and the way to speak in it. */
import { createRef, type RefObject } from 'react';
import type { ColumnHandle, ModelChoice } from './ChatColumn.tsx';

/** So many stand beside each other. */
export const MAX_COLUMNS = 3;

export interface ChatColumnState {
  readonly id: string;
  readonly choice: ModelChoice;
  readonly handle: RefObject<ColumnHandle | null>;
}

export function createColumn(choice: ModelChoice): ChatColumnState {
  return { id: crypto.randomUUID(), choice, handle: createRef<ColumnHandle>() };
}
