/** What axe says of a page. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { see } from './signIn.ts';

const SERIOUS = new Set(['serious', 'critical']);

/** What axe finds on the page as it stands, one line each: everything in light, the colours in dark too. */
export async function findings(page: Page, place: string): Promise<string[]> {
  // Every page is one document: axe need not put its parts together on a page of its own.
  const axe = () => new AxeBuilder({ page }).setLegacyMode();
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
