/** Slot in the header of every page for a button of the console. */
import { createContext, type ReactNode, useContext } from 'react';

const PageHeaderSlot = createContext<ReactNode>(null);

/** Provides the slot's content to the pages inside it. */
export const PageHeaderSlotProvider = PageHeaderSlot.Provider;

export function usePageHeaderSlot(): ReactNode {
  return useContext(PageHeaderSlot);
}
