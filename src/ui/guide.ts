/** Where the guide explains what is being looked at: told by whoever knows the pages, shown in their heads. */
import { createContext, useContext } from 'react';

const GuideContext = createContext<string | null>(null);

/** Around a page: the address at which the guide explains it. */
export const GuideProvider = GuideContext.Provider;

/** That address; null where nobody has told one. */
export function useGuideUrl(): string | null {
  return useContext(GuideContext);
}
