/** The small page that a connection ends on: it notifies the console, and closes if all went well. */
import { CONNECTED_CHANNEL } from './amocrmContract.ts';
import type { ConnectResult } from './connect.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);

/** Build the page, and the policy under which only its own script and style run. */
export function landingPage({ ok, sentence }: ConnectResult, nonce: string): { html: string; policy: string } {
  // amoCRM's pages cut the link to the window that opened them; a broadcast channel of our own origin does not need it.
  const result = JSON.stringify({ type: CONNECTED_CHANNEL, ok });
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>amoCRM · Rapport</title>
<style nonce="${nonce}">body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}</style></head>
<body><main><h1>${ok ? 'Connected' : 'Not connected'}</h1><p>${escapeHtml(sentence)}</p></main>
<script nonce="${nonce}">
const told = ${result};
new BroadcastChannel('${CONNECTED_CHANNEL}').postMessage(told);
if (window.opener) window.opener.postMessage(told, location.origin);
${ok ? 'setTimeout(() => window.close(), 800);' : ''}
</script></body></html>`;
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
  return { html, policy };
}
