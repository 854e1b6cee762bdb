/** The address a visitor wanted before he was sent to the login page. */

const HERE = 'http://console.invalid';

/** `/auth/login?next=…`; the start page needs no mention. */
export function loginAddress(wanted: string): string {
  return wanted === '/' ? '/auth/login' : `/auth/login?${new URLSearchParams({ next: wanted })}`;
}

/** Where to go after login: the wanted address if it is one of ours, else the start page. */
export function wantedAddress(search: string): string {
  const next = new URLSearchParams(search).get('next');
  if (next === null || !URL.canParse(next, HERE)) return '/';
  const url = new URL(next, HERE);
  return url.origin === HERE && url.pathname === '/' ? `/${url.search}` : '/';
}
