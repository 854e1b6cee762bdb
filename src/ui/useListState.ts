import { changeListState, type ListShape, type ListState, readListState, writeListState } from './listState.ts';
import { usePage } from './page.ts';

/**
 * Return the list's state from the address and its setter. The setter returns to the first page unless it sets the
 * page.
 */
export function useListState(shape: ListShape): [ListState, (change: Partial<ListState>) => void] {
  const page = usePage();
  const state = readListState(page.params, shape);
  return [state, (change) => page.setParams(writeListState(changeListState(state, change), shape))];
}
