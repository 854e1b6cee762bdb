/**
 * The current page of the console: a page key and parameters in the query string, so that reload, back and links work.
 * A list's state (filters, sorting, page) is kept in the parameters too.
 */
import { useMemo } from 'react';
import { browserHistory, useLocation } from './history.ts';

/** Parameters for the address. Null, undefined and '' are left out. */
export type PageParams = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface GoOptions {
  replace?: boolean;
}

export interface CurrentPage {
  /** The page key; '' when the address has none. */
  readonly key: string;
  readonly params: Readonly<Record<string, string>>;
  /** Opens a page with exactly these parameters. */
  readonly go: (key: string, params?: PageParams, options?: GoOptions) => void;
  /**
   * Goes back to a page. Uses the browser's history if the operator came from that page, so that its list keeps its
   * state; otherwise works like `go`.
   */
  readonly back: (key: string, params?: PageParams) => void;
  /** Changes parameters of this page without adding a history entry. */
  readonly setParams: (params: PageParams) => void;
  /**
   * Works like `setParams`, but without the leave guard. Use it when no input is lost, such as for switching tabs of a
   * page.
   */
  readonly setView: (params: PageParams) => void;
}

/** Build the address of a page for a link: `/?page=lead-detail&leadId=7`. */
export function hrefOf(key: string, params: PageParams = {}): string {
  const search = new URLSearchParams({ page: key });
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== '') search.set(name, String(value));
  }
  return `/?${search}`;
}

/** Return a parameter of the address as it is now, for code outside components. */
export const currentParam = (name: string): string | null => new URLSearchParams(window.location.search).get(name);

/** Parse an id parameter: a positive integer, or null. */
export function parseId(param: string | undefined): number | null {
  return /^[1-9]\d{0,14}$/.test(param ?? '') ? Number(param) : null;
}

export function usePage(): CurrentPage {
  const { search } = useLocation();
  return useMemo(() => {
    const history = browserHistory();
    const { page: key = '', ...params } = Object.fromEntries(new URLSearchParams(search));
    const go = (to: string, values: PageParams = {}, { replace = false }: GoOptions = {}) => {
      const href = hrefOf(to, values);
      if (replace) history.replace(href, cameFrom());
      else history.push(href, { from: history.location.href });
    };
    return {
      key,
      params,
      go,
      back: (to, values = {}) => {
        if (isPageAddress(cameFrom()?.from, to, values)) history.back();
        else go(to, values);
      },
      setParams: (changed) => history.replace(hrefOf(key, { ...params, ...changed }), cameFrom()),
      setView: (changed) =>
        history.replace(hrefOf(key, { ...params, ...changed }), cameFrom(), { ignoreBlocker: true }),
    };

    function cameFrom(): { from: string } | undefined {
      const state: unknown = history.location.state;
      if (typeof state !== 'object' || state === null || !('from' in state)) return undefined;
      return typeof state.from === 'string' ? { from: state.from } : undefined;
    }
  }, [search]);
}

/** Return whether an address is the page `key` with at least these parameters. */
function isPageAddress(href: string | undefined, key: string, params: PageParams): boolean {
  if (href === undefined) return false;
  const actual = new URLSearchParams(href.slice(href.indexOf('?')));
  const expected = new URLSearchParams(hrefOf(key, params).slice(2));
  return [...expected].every(([name, value]) => actual.get(name) === value);
}
