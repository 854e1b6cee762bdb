/** What the console adds to the head of every page: a button that belongs to no page. */
import { createContext, type ReactNode, useContext } from 'react';

const PageHeaderSlot = createContext<ReactNode>(null);

/** Around the pages. */
export const PageHeaderSlotProvider = PageHeaderSlot.Provider;

export function usePageHeaderSlot(): ReactNode {
  return useContext(PageHeaderSlot);
}
