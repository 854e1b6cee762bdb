/** What axe says of a page. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { see } from './signIn.ts';

const SERIOUS = new Set(['serious', 'critical']);

/** What stands around every page of the console, and takes axe longer than most pages. */
const FRAME = ['#root nav', '#root aside'];

/**
 * What axe finds on the page as it stands, one line each: everything in light, the colours in dark too.
 * @param withFrame whether the menu and the assistant's panel are looked at too: they are the same on all pages
 */
export async function findings(page: Page, place: string, withFrame = true): Promise<string[]> {
  // Every page is one document: axe need not put its parts together on a page of its own.
  const axe = () => {
    const builder = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'], preload: false });
    return withFrame ? builder : FRAME.reduce((rest, part) => rest.exclude(part), builder);
  };
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await axe().analyze();
  await page.emulateMedia({ colorScheme: 'dark' });
  await see(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  const dark = await axe().withRules(['color-contrast']).analyze();
  return [light, dark].flatMap(({ violations }, scheme) =>
    violations
      .filter((one) => SERIOUS.has(one.impact ?? ''))
      .flatMap(({ id, nodes }) =>
        nodes.map((node) => `${place}, ${['light', 'dark'][scheme]}: ${id} at ${node.target.join(' ')}`),
      ),
  );
}
