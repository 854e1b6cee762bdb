/** The inbox in all of its states with axe: on a wide and a narrow screen, in both schemes, with and without motion. */
import type { BrowserContext } from '@playwright/test';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityViolations } from './accessibility.ts';
import { type DemoIds, prepareDemo } from './demoData.ts';
import { inboxPageChecks } from './inboxPageChecks.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { layoutFaults } from './layout.ts';
import { runPageCheck } from './pageCheck.ts';
import { SCREENS } from './screens.ts';
import { byHostName, signInByApi } from './signIn.ts';

let demo: DemoIds;
let context: BrowserContext;
setUpJourney({ keepPages: true });
beforeAll(async () => {
  context = await chromium.context(SCREENS.wide);
  const url = byHostName(product.url);
  await signInByApi(context, url);
  demo = await prepareDemo(context, url);
});

describe.each(['reduce', 'no-preference'] as const)('with motion %s', (reducedMotion) => {
  it.each(inboxPageChecks)('is accessible on both screens: $name', async (one) => {
    const page = await context.newPage();
    await page.emulateMedia({ reducedMotion });
    const undo = await runPageCheck(page, demo, one);
    const found: string[] = [];
    for (const [screen, size] of Object.entries(SCREENS)) {
      await page.setViewportSize(size);
      // Waits until nothing moves.
      found.push(...(await layoutFaults(page, one.name)));
      found.push(...(await accessibilityViolations(page, `${one.name}, ${screen}`)));
    }
    await undo();
    await page.close();
    expect(found).toEqual([]);
    expect(chromium.takeErrors()).toEqual([]);
  });
});
