/** Leaves what only a pointer needs out of the first frame of a long list, which it would only delay. */
import { Tooltip, type TooltipProps } from '@mantine/core';
import { createContext, useContext, useEffect, useState } from 'react';

/** Whether the frame being rendered is the first one of the list around. */
export const FirstFrame = createContext(false);

/** Return whether this is the first frame of the component: until it was painted. */
export function useFirstFrame(): boolean {
  const [isFirst, setFirst] = useState(true);
  useEffect(() => {
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => setFirst(false));
    });
    return () => cancelAnimationFrame(frame);
  }, []);
  return isFirst;
}

/** A tooltip, from the second frame on. */
export function Tip({ children, ...props }: TooltipProps) {
  return useContext(FirstFrame) ? children : <Tooltip {...props}>{children}</Tooltip>;
}
