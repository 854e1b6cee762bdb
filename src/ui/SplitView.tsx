/** The page beside an optional panel, with a separator that moves by pointer and keyboard. */
import { useLocalStorage } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import classes from './SplitView.module.css';

/** Width of the panel in percent. */
const LEAST = 25;
const MOST = 50;
const DEFAULT = 30;
/** What an arrow key moves. */
const STEP = 5;

const clamp = (share: number): number => Math.min(MOST, Math.max(LEAST, share));

/** Return the panel's width after a key; null for a key that does not move the separator. */
function shareAfter(key: string, share: number): number | null {
  switch (key) {
    case 'ArrowLeft':
      return clamp(share + STEP);
    case 'ArrowRight':
      return clamp(share - STEP);
    case 'Home':
      return MOST;
    case 'End':
      return LEAST;
    default:
      return null;
  }
}

/** Keep the panel's width in `--rapport-panel-width`, for what floats beside it. */
function publishWidth(panel: HTMLElement | null): (() => void) | undefined {
  if (panel === null) return;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => style.setProperty('--rapport-panel-width', `${panel.offsetWidth}px`));
  observer.observe(panel);
  return () => {
    observer.disconnect();
    style.removeProperty('--rapport-panel-width');
  };
}

interface SplitViewProps {
  children: ReactNode;
  /** The panel on the right; null while it is closed. */
  panel: ReactNode;
  /** Name of the separator. */
  label: string;
  /** The panel's width is kept in the browser's storage under this key. */
  storageKey: string;
}

export function SplitView({ children, panel, label, storageKey }: SplitViewProps) {
  const area = useRef<HTMLDivElement>(null);
  const [stored, store] = useLocalStorage({ key: storageKey, defaultValue: DEFAULT, getInitialValueInEffect: false });
  // Stored only when the pointer is released.
  const [dragged, setDragged] = useState<number | null>(null);
  const share = dragged ?? (Number.isFinite(stored) ? clamp(stored) : DEFAULT);

  const onKeyDown = (event: KeyboardEvent): void => {
    const next = shareAfter(event.key, share);
    if (next === null) return;
    event.preventDefault();
    store(next);
  };
  const onPointerDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDragged(share);
  };
  const onPointerMove = (event: PointerEvent): void => {
    const bounds = area.current?.getBoundingClientRect();
    if (dragged !== null && bounds) setDragged(clamp((100 * (bounds.right - event.clientX)) / bounds.width));
  };
  const endDrag = (): void => {
    if (dragged !== null) store(dragged);
    setDragged(null);
  };

  return (
    <div ref={area} className={classes.area}>
      <div className={classes.main}>{children}</div>
      {panel !== null && (
        <>
          <div
            role="separator"
            aria-orientation="vertical"
            aria-label={label}
            aria-valuenow={Math.round(100 - share)}
            aria-valuemin={100 - MOST}
            aria-valuemax={100 - LEAST}
            tabIndex={0}
            className={classes.separator}
            data-active={dragged !== null || undefined}
            onKeyDown={onKeyDown}
            onPointerDown={onPointerDown}
            onPointerMove={onPointerMove}
            onPointerUp={endDrag}
            onPointerCancel={endDrag}
          />
          <div ref={publishWidth} className={classes.panel} style={{ flexBasis: `${share}%` }}>
            {panel}
          </div>
        </>
      )}
    </div>
  );
}
