/** Shows that a table goes on beyond the edge of its frame: on a phone no scrollbar says so. */
import { type RefObject, useEffect } from 'react';

/** Set `data-more` on the frame while some of its content is beyond its right edge: `base.css` draws a shadow there. */
export function useSidewaysShadow(frame: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const mark = () => {
      // Distances are fractions of a pixel.
      const rest = element.scrollWidth - element.clientWidth - element.scrollLeft;
      element.toggleAttribute('data-more', rest > 1);
    };
    const observer = new ResizeObserver(mark);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    element.addEventListener('scroll', mark, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', mark);
    };
  }, [frame]);
}
