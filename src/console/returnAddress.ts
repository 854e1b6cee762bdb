/** The address that a visitor requested before being sent to the login page. */

const OWN_ORIGIN = 'http://console.invalid';

/** Build the login address: `/auth/login?next=…`. The start page needs no `next`. */
export function loginAddress(address: string): string {
  return address === '/' ? '/auth/login' : `/auth/login?${new URLSearchParams({ next: address })}`;
}

/** Return where to go after login: the requested address if it is one of ours, else the start page. */
export function returnAddress(search: string): string {
  const next = new URLSearchParams(search).get('next');
  if (next === null || !URL.canParse(next, OWN_ORIGIN)) return '/';
  const url = new URL(next, OWN_ORIGIN);
  return url.origin === OWN_ORIGIN && url.pathname === '/' ? `/${url.search}` : '/';
}
