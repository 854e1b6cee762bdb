/** Answers that replace the server's during a page check, and changes that are undone after it. */
import type { Page } from '@playwright/test';
import type { Step } from './steps.ts';

export type Undo = () => Promise<unknown>;

/** Match the calls of a path, with any parameters; `{id}` is any id. */
const callsOf = (path: string) => new RegExp(`${path.replace('{id}', '\\d+')}(\\?|$)`);

/** Answer the calls of a path with this, for what the demo does not have. */
export const answer =
  (path: string, json: unknown, reply: { status?: number; headers?: Record<string, string> } = {}): Step =>
  (page) =>
    page.route(callsOf(path), (route) => route.fulfill({ ...reply, json }));

/** Answer the calls of a list as if it were empty. */
export const emptyList = (path: string): Step => answer(path, { items: [], total: 0, page: 1, limit: 25 });

/** Change the answer of a path by these fields. */
export const change =
  (path: string, changed: object): Step =>
  (page) =>
    page.route(callsOf(path), async (route) => {
      const real: unknown = await (await route.fetch()).json();
      await route.fulfill({ json: { ...(typeof real === 'object' ? real : {}), ...changed } });
    });

/** Clear the selection of company and product. */
export const clearSelection = (page: Page): Promise<Undo> => withoutCookies(page, /^rapport_(company|product)_id$/);
export const signOut = (page: Page): Promise<Undo> => withoutCookies(page, /./);

async function withoutCookies(page: Page, name: RegExp): Promise<Undo> {
  const context = page.context();
  const cookies = (await context.cookies()).filter((cookie) => name.test(cookie.name));
  await context.clearCookies({ name });
  return () => context.addCookies(cookies);
}
