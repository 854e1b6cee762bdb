/** Slot beside the filters of every list, for a menu of the console. */
import { createContext, type ReactNode, useContext } from 'react';
import { changeListState, type ListShape, type ListState, readListState, writeListState } from './listState.ts';
import type { CurrentPage } from './page.ts';
import type { ToolWithHandler } from './pageTool.ts';

export interface ListMenuProps {
  /** Names the list: the page, and its tab where it has several. */
  readonly list: string;
  /** The address parameters of the list's search, filters and order. */
  readonly params: Readonly<Record<string, string>>;
  /** Set exactly these parameters; the others of the list are removed. */
  readonly open: (params: Readonly<Record<string, string>>) => void;
}

/** The menu, and the assistant's tools for the same. */
export interface ListMenu {
  readonly menu: (props: ListMenuProps) => ReactNode;
  readonly tools: (props: ListMenuProps) => readonly ToolWithHandler[];
}

const ListMenuContext = createContext<ListMenu | null>(null);

/** Provides the menu to the lists inside it. */
export const ListMenuProvider = ListMenuContext.Provider;

export function useListMenu(): ListMenu['menu'] | null {
  return useContext(ListMenuContext)?.menu ?? null;
}

export function useListMenuTools(): ListMenu['tools'] | null {
  return useContext(ListMenuContext)?.tools ?? null;
}

/** Return what the menu of a list needs. Paging is no part of it. */
export function menuProps(
  { key, params, setParams }: Pick<CurrentPage, 'key' | 'params' | 'setParams'>,
  shape: ListShape,
  state: ListState,
): ListMenuProps {
  const paramsOf = (one: ListState) => {
    const { list_page: _page, list_size: _size, ...rest } = writeListState(one, shape);
    return rest;
  };
  return {
    list: params.tab === undefined ? key : `${key}/${params.tab}`,
    params: Object.fromEntries(
      Object.entries(paramsOf(state)).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    open: (opened) => {
      const { size } = state;
      setParams(writeListState(changeListState(readListState(opened, shape), { size }), shape));
    },
  };
}
