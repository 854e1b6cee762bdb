/** The emulated amoCRM's own pages: the requesting integration, with two buttons. */
import { z } from 'zod';
import { ACCOUNT } from './setup.ts';

/** The request in the address of the consent page. */
export const consentRequestSchema = z.object({
  client_id: z.string().optional(),
  state: z.string().default(''),
  mode: z.string().default(''),
  origin: z.string().default(''),
  name: z.string().optional(),
  description: z.string().default(''),
  redirect_uri: z.string().optional(),
  secrets_uri: z.string().optional(),
});
export type ConsentRequest = z.infer<typeof consentRequestSchema>;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const shell = (body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>amoCRM (emulated)</title>
<style>
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem}
button{font:inherit;padding:.5rem 1.25rem;margin-right:.5rem;border-radius:6px;border:1px solid currentColor;cursor:pointer}
small{opacity:.75}
p{white-space:pre-line;overflow-wrap:anywhere}
</style></head><body>${body}</body></html>`;

/** Render a page with a paragraph for each text. */
export const plainPage = (...texts: readonly string[]): string =>
  shell(`<main><h1>amoCRM</h1>${texts.map((text) => `<p>${escaped(text)}</p>`).join('')}</main>`);

/** Render the consent page, which carries the request in hidden fields. */
export function consentPage(asked: ConsentRequest, name: string): string {
  const hidden = Object.entries(asked)
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '')
    .map(([key, value]) => `<input type="hidden" name="${escaped(key)}" value="${escaped(value)}">`)
    .join('');
  return shell(`<main><h1>amoCRM</h1>
<p><strong>${escaped(name)}</strong> asks for access to the account <strong>${escaped(ACCOUNT.name)}</strong>: leads, contacts, pipelines, webhooks.</p>
${asked.description ? `<p>${escaped(asked.description)}</p>` : ''}
<form method="post" action="/oauth">${hidden}
<button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button></form>
<p><small>This amoCRM is emulated on this machine.</small></p></main>`);
}
