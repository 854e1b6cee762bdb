/** What is most likely wrong with the address of a model server that does not answer like one. */

/** Return a hint for an address that was entered; null if it looks like that of an API. */
export function addressHint(baseUrl: string): string | null {
  const { pathname } = new URL(baseUrl);
  const path = pathname.replace(/\/+$/, '');
  const shorter = /^(.*?)\/(?:chat\/completions|completions|messages|responses|models)$/.exec(path)?.[1];
  if (shorter !== undefined) return `Enter the address without ${path.slice(shorter.length)} at its end.`;
  if (/\/v\d/.test(path)) return null;
  return `The address has no /v1 at its end, which most servers need: ${baseUrl}/v1`;
}
