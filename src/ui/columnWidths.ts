/** The widths of a table's columns, measured on its rows. */
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { endAt, shareRoom } from './columns.ts';

/** Space that a cell needs beside its text, for fractions of a pixel. */
const SLACK_PX = 1;

interface ColumnWidthsOptions {
  table: RefObject<HTMLTableElement | null>;
  /** Share of each column between 0 and 1, as declared. */
  declared: readonly number[];
  /** Undefined while the first rows load. */
  rows: readonly unknown[] | undefined;
}

/**
 * Give the room of columns that need less than their share to those whose cells would be cut. The widths are set on the
 * table's `<col>` elements, without another rendering. What a column has needed once it keeps, so that the next page
 * moves as little as possible.
 */
export function useColumnWidths({ table, declared, rows }: ColumnWidthsOptions): void {
  const needed = useRef<{ columns: string; widths: number[] }>({ columns: '', widths: [] });
  const columns = declared.join();
  useLayoutEffect(() => {
    const element = table.current;
    const body = element?.tBodies[0];
    if (!element || !body || rows === undefined || rows.length === 0) return;
    const shares = columns.split(',').map(Number);
    const share = () => applyWidths(element, shares, needed.current.widths);
    const measure = () => {
      const before = needed.current.columns === columns ? needed.current.widths : [];
      const widths = measureNeeded(element).map((width, index) => Math.max(width, before[index] ?? 0));
      needed.current = { columns, widths };
      share();
    };
    measure();
    // Names of referenced rows arrive after the rows.
    let frame = 0;
    const onChange = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(measure);
    };
    const changes = new MutationObserver(onChange);
    changes.observe(body, { childList: true, characterData: true, subtree: true });
    const size = new ResizeObserver(share);
    size.observe(element);
    return () => {
      cancelAnimationFrame(frame);
      changes.disconnect();
      size.disconnect();
    };
  }, [table, rows, columns]);
}

const headsOf = (table: HTMLTableElement) => [...table.querySelectorAll<HTMLElement>('thead th[data-column]')];

/** Lay the table out by its contents, without painting it, and read how wide each column would be. */
function measureNeeded(table: HTMLTableElement): number[] {
  table.toggleAttribute('data-measured', true);
  const widths = headsOf(table).map((one) => one.getBoundingClientRect().width + SLACK_PX);
  table.toggleAttribute('data-measured', false);
  return widths;
}

function applyWidths(table: HTMLTableElement, declared: readonly number[], needed: readonly number[]): void {
  const heads = headsOf(table);
  const room = heads.reduce((sum, { offsetWidth }) => sum + offsetWidth, 0);
  if (room === 0) return;
  // What is scrolled to begins at the edge: no fragment of a column beside the tools, which stay in view.
  const beside = table.offsetWidth - room;
  const visible = (table.parentElement?.clientWidth ?? 0) - beside;
  const widths = endAt(
    visible,
    shareRoom(declared.map((share, index) => ({ share: share * room, needed: needed[index] ?? 0 }))),
  );
  const cols = table.querySelectorAll<HTMLElement>('col[data-column]');
  for (const [index, col] of cols.entries()) col.style.width = `${((widths[index] ?? 0) / room) * 100}%`;
}
