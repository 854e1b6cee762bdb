/** What the console adds to the head of every page: a button that belongs to no page. */
import { createContext, type ReactNode, useContext } from 'react';

const FrameHead = createContext<ReactNode>(null);

/** Around the pages. */
export const FrameHeadProvider = FrameHead.Provider;

export function useFrameHead(): ReactNode {
  return useContext(FrameHead);
}
