/** The page on which a call was proposed, kept in this tab, because the call may be shown again on another page. */
import { z } from 'zod';
import type { PageParams } from '../../ui/page.ts';
import type { ToolCall } from '../contract.ts';

const PLACE_KEY = 'rapport-assistant-place';

export interface Place {
  readonly to: string;
  readonly params: PageParams;
}

const places = z.object({ calls: z.array(z.string()), place: z.string() });

function readPlaces(): z.output<typeof places> | null {
  try {
    return places.parse(JSON.parse(sessionStorage.getItem(PLACE_KEY) ?? 'null'));
  } catch {
    return null;
  }
}

/** Remember the page that new proposals belong to. */
export function rememberPlace(calls: readonly ToolCall[], place: string): void {
  const stored = readPlaces()?.calls ?? [];
  if (calls.length === 0 || calls.some(({ call_id }) => stored.includes(call_id))) return;
  sessionStorage.setItem(PLACE_KEY, JSON.stringify({ calls: calls.map(({ call_id }) => call_id), place }));
}

/** Return the query string of the page on which a call was proposed; null: unknown. */
export const placeOf = ({ call_id }: ToolCall): string | null => {
  const stored = readPlaces();
  return stored?.calls.includes(call_id) ? stored.place : null;
};

/** Convert the stored address to a page link. */
export function linkTo(place: string | null): Place | null {
  const { page, ...params } = Object.fromEntries(new URLSearchParams(place ?? ''));
  return page === undefined ? null : { to: page, params };
}
