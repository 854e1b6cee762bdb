import { changeListState, type ListShape, type ListState, readListState, writeListState } from './listState.ts';
import { usePage } from './page.ts';

/** The list's state in the address. `change` goes back to the first page unless it turns the page. */
export function useListState(shape: ListShape): [ListState, (change: Partial<ListState>) => void] {
  const page = usePage();
  const state = readListState(page.params, shape);
  return [state, (change) => page.setParams(writeListState(changeListState(state, change), shape))];
}
