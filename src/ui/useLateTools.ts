/** The assistant's tools of a page, loaded after it: they are needed once somebody asks, the page at once. */
import { useEffect, useState } from 'react';
import type { ToolWithHandler } from './pageTool.ts';

const NO_TOOLS: readonly ToolWithHandler[] = [];

/** Return the tools; none until they are loaded. `load` must be the same function in every rendering. */
export function useLateTools(load: () => Promise<readonly ToolWithHandler[]>): readonly ToolWithHandler[] {
  const [tools, setTools] = useState(NO_TOOLS);
  useEffect(() => {
    let isCurrent = true;
    // Without them the page works all the same, and the assistant with fewer tools.
    load().then(
      (loaded) => isCurrent && setTools(loaded),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [load]);
  return tools;
}
