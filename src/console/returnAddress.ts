/** The address a visitor wanted before he was sent to the login page. */

const OWN_ORIGIN = 'http://console.invalid';

/** `/auth/login?next=…`; the start page needs no mention. */
export function loginAddress(address: string): string {
  return address === '/' ? '/auth/login' : `/auth/login?${new URLSearchParams({ next: address })}`;
}

/** Where to go after login: the wanted address if it is one of ours, else the start page. */
export function returnAddress(search: string): string {
  const next = new URLSearchParams(search).get('next');
  if (next === null || !URL.canParse(next, OWN_ORIGIN)) return '/';
  const url = new URL(next, OWN_ORIGIN);
  return url.origin === OWN_ORIGIN && url.pathname === '/' ? `/${url.search}` : '/';
}
