/**
 * Every page in all of its states, in both colour schemes, on a wide and a narrow screen, with accessibility checks.
 */
import type { BrowserContext } from '@playwright/test';
import { beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../console/registry.ts';
import { accessibilityViolations } from './accessibility.ts';
import { type DemoIds, prepareDemo } from './demoData.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { layoutFaults } from './layout.ts';
import { runPageCheck } from './pageCheck.ts';
import { pageChecks } from './pageChecks.ts';
import { SCREENS } from './screens.ts';
import { byHostName, expectPage, signInByApi } from './signIn.ts';

let demo: DemoIds;
let context: BrowserContext;
setUpJourney({ keepPages: true });
beforeAll(async () => {
  context = await chromium.context(SCREENS.wide);
  const url = byHostName(product.url);
  await signInByApi(context, url);
  demo = await prepareDemo(context, url);
});

it('checks every page of the console, each state under one name', () => {
  const visited = new Set(pageChecks.map((one) => one.page));
  expect(pages.map(({ key }) => key).filter((key) => !visited.has(key))).toEqual([]);
  const names = new Set(pageChecks.map(({ name }) => name));
  expect(names.size).toBe(pageChecks.length);
});

/** Pages with exactly one fault each. */
const FAULTY: Readonly<Record<string, string>> = {
  'the page is 900 px wide': '<div style="width: 900px">wide</div>',
  'button "Away" is out of the page':
    '<div style="position: fixed; left: 300px"><button style="width: 200px">Away</button></div>',
  'input "Half" is cut':
    '<div style="width: 40px; overflow: hidden"><input aria-label="Half" style="width: 90px"></div>',
  'button "Upper" lies on button "Lower"':
    '<button style="height: 40px">Upper</button><br><button style="height: 40px; margin-top: -20px">Lower</button>',
  'the text "A long word or two" is cut':
    '<p style="width: 40px; overflow: hidden; white-space: nowrap">A long word or two</p>',
  'the badge "Ongoing" is cut':
    '<p class="mantine-Badge-label" style="width: 20px; overflow: hidden; text-overflow: ellipsis">Ongoing</p>',
  'the cell "A name longer than its column is" is cut beside room':
    '<table style="table-layout: fixed; width: 300px"><thead><tr><th data-column>A</th><th data-column>B</th></tr></thead>' +
    '<tr><td style="overflow: hidden; text-overflow: ellipsis; white-space: nowrap">A name longer than its column is</td><td>–</td></tr></table>',
  'the field "Tight" has no room for its text': '<input aria-label="Tight" style="width: 20px">',
  'div.strip scrolls sideways':
    '<div class="strip" style="width: 90px; overflow-x: auto"><p style="width: 300px">aside</p></div>',
};

it('finds each layout fault', async () => {
  const scratch = await context.newPage();
  await scratch.setViewportSize(SCREENS.narrow);
  for (const [fault, html] of Object.entries(FAULTY)) {
    await scratch.setContent(`<body style="margin: 0">${html}<button>Fits</button></body>`);
    expect(await layoutFaults(scratch, 'here')).toEqual([`here, 390 px: ${fault}`]);
  }
  await scratch.close();
});

/** Page checks that also check the frame around the page. */
const SHOWS_FRAME = /^(?:menu|assistant-)/;

describe('the page', () => {
  it.each(pageChecks)('is accessible and fits both screens: $name', async (one) => {
    // A browser page for each check: one that opens all of them grows to a gigabyte and becomes slower.
    const page = await context.newPage();
    page.on('dialog', (dialog) => void dialog.accept());
    const undo = await runPageCheck(page, demo, one);
    const withFrame = one.page === null || SHOWS_FRAME.test(one.name);
    const found = await accessibilityViolations(page, one.name, withFrame);
    found.push(...(await layoutFaults(page, one.name)));
    await page.setViewportSize(SCREENS.narrow);
    // Wait for the console's new layout: the assistant's panel is gone then.
    if (one.page !== null) await expectPage(page.locator('#root aside[aria-label="Assistant panel"]')).toHaveCount(0);
    found.push(...(await layoutFaults(page, one.name)));
    await undo();
    await page.close();
    expect(found).toEqual([]);
    expect(chromium.takeErrors()).toEqual([]);
  });
});
