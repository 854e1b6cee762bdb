/** Accessibility checks of a page with axe. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { untilNothingMoves } from './layout.ts';
import { expectPage } from './signIn.ts';

const SERIOUS_IMPACTS = new Set(['serious', 'critical']);

/** The frame around every page of the console, which takes axe longer than most pages. */
const PAGE_FRAME = [['#root nav'], ['#root aside']];

/**
 * The version that the builder for Playwright depends on. The builder itself injects its half megabyte again for every
 * check. [78 pages looked at twice: 0.4 s of CPU each less]
 */
const requireFromBuilder = createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright'));
const AXE = readFileSync(requireFromBuilder.resolve('axe-core/axe.min.js'), 'utf8');

type Results = Awaited<ReturnType<AxeBuilder['analyze']>>;

/** Global that the script adds to the page. */
declare const axe: { run(context: object, options: object): Promise<Results> };

/**
 * Return axe's findings on the page as it is, one line each: everything in the light scheme, the colours in dark too.
 * @param withFrame whether the menu and the assistant's panel are looked at too: they are the same on all pages
 */
export async function accessibilityViolations(page: Page, place: string, withFrame = true): Promise<string[]> {
  const runAxe = (only: readonly string[] | null) =>
    page.evaluate(
      async ([exclude, rules]) => {
        // Every page is one document, so axe need not load the style sheets of frames.
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
  await expectPage(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
  await untilNothingMoves(page);
  await page.evaluate(AXE);
  const light = await runAxe(null);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectPage(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  // Colours may fade from one scheme to the other.
  await untilNothingMoves(page);
  const dark = await runAxe(['color-contrast']);
  return [light, dark].flatMap((found, scheme) =>
    found
      .filter(({ impact }) => SERIOUS_IMPACTS.has(impact))
      .flatMap(({ id, places }) => places.map((one) => `${place}, ${['light', 'dark'][scheme]}: ${id} at ${one}`)),
  );
}
