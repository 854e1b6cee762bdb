/**
 * Submit the emulated amoCRM's consent page with one button, as a browser does. Returns the address of the redirect.
 */
export async function submitConsent(url: string, decision: 'allow' | 'deny' = 'allow'): Promise<string> {
  const asked = new URL(url);
  const form = new URLSearchParams(asked.search);
  form.set('decision', decision);
  const answer = await fetch(`${asked.origin}/oauth`, { method: 'POST', body: form, redirect: 'manual' });
  const location = answer.headers.get('location');
  if (location === null) throw new Error(`amoCRM stopped: ${answer.status} ${await answer.text()}`);
  return location;
}
