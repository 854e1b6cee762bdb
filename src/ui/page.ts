/**
 * Where the operator is: a page key and its parameters in the query string of one address, so that reload, back and
 * links work. A list's state (filters, sorting, page) is parameters too.
 */
import { useRouter, useRouterState } from '@tanstack/react-router';
import { useMemo } from 'react';

/** Values to put into the address; null, undefined and '' are left out. */
export type PageParams = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface GoOptions {
  replace?: boolean;
}

export interface CurrentPage {
  /** The page key; '' when the address names none. */
  readonly key: string;
  readonly params: Readonly<Record<string, string>>;
  /** Opens a page with these parameters and no others. */
  readonly go: (key: string, params?: PageParams, options?: GoOptions) => void;
  /**
   * Goes back to a page: through the browser's history when the operator came from there, so that the list is found
   * as it was left; else as `go`.
   */
  readonly back: (key: string, params?: PageParams) => void;
  /** Changes some parameters of this page in place, without a step in the browser's history. */
  readonly setParams: (params: PageParams) => void;
  /** The same where nothing typed is lost by it, so that the leave guard does not ask: another tab of the page. */
  readonly setView: (params: PageParams) => void;
}

/** `/?page=lead-detail&leadId=7`: for links, which can be opened in a new tab. */
export function hrefOf(key: string, params: PageParams = {}): string {
  const search = new URLSearchParams({ page: key });
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== '') search.set(name, String(value));
  }
  return `/?${search}`;
}

/** The id that a parameter holds: a positive integer, or null. */
export function parseId(param: string | undefined): number | null {
  return /^[1-9]\d{0,14}$/.test(param ?? '') ? Number(param) : null;
}

export function usePage(): CurrentPage {
  const { history } = useRouter();
  const search = useRouterState({ select: (state) => state.location.searchStr });
  return useMemo(() => {
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
  }, [history, search]);
}

/** Whether an address is the page `key` with at least these parameters. */
function isPageAddress(href: string | undefined, key: string, params: PageParams): boolean {
  if (href === undefined) return false;
  const actual = new URLSearchParams(href.slice(href.indexOf('?')));
  const expected = new URLSearchParams(hrefOf(key, params).slice(2));
  return [...expected].every(([name, value]) => actual.get(name) === value);
}
