import { writeFileSync, existsSync } from 'node:fs';
import { openBrowser } from '../testing/browser.ts';
import { FIRST_HOUR } from './firstHour.ts';
const url = 'http://127.0.0.1:4600';
const from = Number(process.argv[2] ?? 0);
const to = Number(process.argv[3] ?? 99);
const chromium = await openBrowser();
const context = await chromium.browser.newContext({ viewport: { width: 1120, height: 720 }, colorScheme: 'light', reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC', ...(existsSync('/tmp/g8_state.json') && from > 0 ? { storageState: '/tmp/g8_state.json' } : {}) });
context.setDefaultTimeout(15_000);
await context.addInitScript(() => localStorage.setItem('rapport-assistant', 'false'));
const page = await context.newPage();
if (from > 0) await page.goto(url);
let i = 0;
try {
  for (const { heading, live } of FIRST_HOUR) {
    if (i >= from && i <= to) {
      console.log(i, heading, new Date().toISOString().slice(14, 19));
      await live({ url, context, page, shoot: async (p, name) => { await p.screenshot({ path: `/tmp/g8pics/${name}.png` }); } });
      await context.storageState({ path: '/tmp/g8_state.json' });
    }
    i += 1;
  }
  console.log('done');
} catch (e) {
  console.log('FAILED at', i, String(e));
  const last = context.pages().at(-1);
  await last?.screenshot({ path: '/tmp/g8_fail.png' });
  writeFileSync('/tmp/g8_fail.yml', (await last?.locator('body').ariaSnapshot()) ?? '');
}
await chromium.close();
