/** What axe says of a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expectPage } from './signIn.ts';

const SERIOUS_IMPACTS = new Set(['serious', 'critical']);

/** What stands around every page of the console, and takes axe longer than most pages. */
const PAGE_FRAME = [['#root nav'], ['#root aside']];

/**
 * The version that the builder for Playwright brings. The builder itself puts its half megabyte into the page anew for
 * every look. [78 pages looked at twice: 0.4 s of CPU each less]
 */
const requireFromBuilder = createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright'));
const AXE = readFileSync(requireFromBuilder.resolve('axe-core/axe.min.js'), 'utf8');

type Results = Awaited<ReturnType<AxeBuilder['analyze']>>;

/** What the script puts into the page. */
declare const axe: { run(context: object, options: object): Promise<Results> };

/**
 * What axe finds on the page as it stands, one line each: everything in light, the colours in dark too.
 * @param withFrame whether the menu and the assistant's panel are looked at too: they are the same on all pages
 */
export async function accessibilityViolations(page: Page, place: string, withFrame = true): Promise<string[]> {
  const runAxe = (only: readonly string[] | null) =>
    page.evaluate(
      async ([exclude, rules]) => {
        // Every page is one document: axe need not look for its frames' style sheets.
        const options = { resultTypes: ['violations'], preload: false, ...(rules && { runOnly: rules }) };
        const { violations } = await axe.run({ exclude }, options);
        return violations.map(({ id, impact, nodes }) => ({
          id,
          impact: impact ?? '',
          places: nodes.map(({ target }) => target.join(' ')),
        }));
      },
      [withFrame ? [] : PAGE_FRAME, only] as const,
    );
  await page.emulateMedia({ colorScheme: 'light' });
  await page.evaluate(AXE);
  const light = await runAxe(null);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectPage(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  const dark = await runAxe(['color-contrast']);
  return [light, dark].flatMap((found, scheme) =>
    found
      .filter(({ impact }) => SERIOUS_IMPACTS.has(impact))
      .flatMap(({ id, places }) => places.map((one) => `${place}, ${['light', 'dark'][scheme]}: ${id} at ${one}`)),
  );
}
