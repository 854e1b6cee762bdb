import { useCallback, useEffect, useRef } from 'react';

/**
 * Return a function whose identity never changes and which calls the latest `action`: what is handed to a memoised
 * component must not change with each render.
 */
export function useStableCallback<A>(action: (argument: A) => void): (argument: A) => void {
  const latest = useRef(action);
  useEffect(() => {
    latest.current = action;
  });
  return useCallback((argument) => latest.current(argument), []);
}
