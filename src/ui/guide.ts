/** The link to the guide for the current page. The console sets it, and page headings show it. */
import { createContext, useContext } from 'react';

const GuideContext = createContext<string | null>(null);

/** Provides the guide's address for the pages inside it. */
export const GuideProvider = GuideContext.Provider;

/** Return the guide's address; null outside a `GuideProvider`. */
export function useGuideUrl(): string | null {
  return useContext(GuideContext);
}
