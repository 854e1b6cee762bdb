/** Many leads at once: from a file, and in a list. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { download, follow, pick, press } from './actions.ts';
import { call, countRows, demoProduct } from './calls.ts';
import { setUpJourney } from './journeySetup.ts';
import { expectPage } from './signIn.ts';
import { goTo, openPage, startOperator } from './start.ts';

setUpJourney({ withoutOutreach: true });

const ROWS = 5000;
const BAD = 37;

/** Return five thousand leads; every 135th, from the eighth on, has no number that can be written to. */
function leadsCsv(): Buffer {
  const rows = Array.from({ length: ROWS }, (_one, index) => {
    const wrong = index % 135 === 7 && index < 135 * BAD;
    return `Guest ${index + 1};${wrong ? 'ring me' : `+7 921 ${1_000_000 + index}`};"Omsk; centre";${index}`;
  });
  return Buffer.from(['Имя;Телефон;Город;Budget', ...rows].join('\r\n'));
}

it('imports a file of 5,000 leads without its 37 bad rows, one of them corrected', async () => {
  const { context, page } = await openPage('crm-leads');
  const total = () => countRows(context, '/v1/leads/');
  const before = await total();
  const file = { name: 'guests.csv', mimeType: 'text/csv', buffer: leadsCsv() };

  await page.getByRole('button', { name: 'Import' }).click();
  await page.locator('input[type=file]').setInputFiles(file);
  await press(page, 'Check 5,000 rows', 'guests.csv: 5,000 rows · 4,963 to import · 37 with errors');
  await page.getByRole('textbox', { name: 'WhatsApp of row 9', exact: true }).fill('8 (921) 555-00-00');
  await expectPage(page.getByText('4,964 to import · 36 with errors')).toBeVisible();
  await page.getByRole('button', { name: 'Import 4,964 leads' }).click();
  await expectPage(page.getByText('4,964 leads imported · 36 skipped')).toBeVisible({ timeout: 60_000 });
  expect(await total()).toBe(before + 4964);

  const saved = (await download(page, 'Download 36 skipped rows')).text.trim().split('\r\n');
  expect(saved).toHaveLength(37);
  expect(saved[1]).toBe('"Guest 143","ring me","Omsk; centre","142","Not a WhatsApp address","144"');

  await follow(page, 'Leads');
  await page.getByRole('searchbox', { name: 'Search leads' }).fill('Guest 5000');
  await page.getByRole('row').filter({ hasText: 'Guest 5000' }).click();
  await expectPage(page.getByText('+7 921 1004999')).toBeVisible();
});

it('selects rows by keyboard and mouse, counts what would change, and changes exactly those', async () => {
  const { context, page } = await startOperator();
  const { productId } = await demoProduct(context);
  await call(context, 'POST', '/v1/leads/import', {
    product_id: productId,
    import_key: randomUUID(),
    rows: Array.from({ length: 120 }, (_one, index) => ({
      line: index + 2,
      name: `Crate ${index + 1}`,
      whatsapp: `+7 922 ${1_000_000 + index}`,
    })),
  });
  await goTo(page, 'crm-leads&search=Crate%201');
  const row = page.locator('[data-row-opener]');
  const bar = page.getByRole('toolbar', { name: 'Selected rows' });
  await expectPage(row.first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expectPage(row.first()).toBeFocused();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+Space');
  await expectPage(bar).toContainText('3 selected');
  await page.keyboard.press('Escape');
  await expectPage(bar).toBeHidden();

  // 1, 10 to 19 and 100 to 120.
  const matching = 32;
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await expectPage(bar).toContainText('25 selected');
  await bar.getByRole('button', { name: `Select all ${matching} matching` }).click();
  await press(bar, 'Change stage');
  const stage = page.getByRole('dialog', { name: 'Change stage' });
  await pick(stage, 'Stage', 'Failed');
  await expectPage(stage.getByRole('status')).toContainText(`${matching} of ${matching} leads move to Failed.`);
  await press(stage, `Move ${matching} leads`, `Moved ${matching} leads to Failed`);
  // Another search clears the selection; the address keeps the search but not the selection.
  await page.getByRole('searchbox', { name: 'Search leads' }).fill('Crate 10');
  await expectPage(bar).toBeHidden();
  await expectPage(page.getByText(/of 11 leads/)).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('checkbox', { name: 'Select Crate 10', exact: true }).uncheck();
  await press(bar, 'Delete');
  const question = page.getByRole('dialog', { name: 'Delete' });
  await expectPage(question).toContainText('Are you sure you want to delete 10 leads? This action cannot be undone.');
  await expectPage(question).toContainText('This also deletes 10 contacts, 0 dialogues and 0 messages.');
  await press(question, 'Delete 10 leads', 'Deleted 10 leads');
  await expectPage(row).toHaveText([/^Crate 10/]);
});
