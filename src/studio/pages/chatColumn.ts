/** The state of one playground conversation: its model, and the handle to send to it. */
import { createRef, type RefObject } from 'react';
import type { ColumnHandle, ModelChoice } from './ChatColumn.tsx';

/** Most columns shown side by side. */
export const MAX_COLUMNS = 3;

export interface ChatColumnState {
  readonly id: string;
  readonly choice: ModelChoice;
  readonly handle: RefObject<ColumnHandle | null>;
}

export function createColumn(choice: ModelChoice): ChatColumnState {
  return { id: crypto.randomUUID(), choice, handle: createRef<ColumnHandle>() };
}
