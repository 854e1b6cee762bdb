/** Many leads at once: from a file, and in a list. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { callApi, findProduct } from './journeyApi.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';
import { expectPage, openConsole, PRODUCT } from './signIn.ts';

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

it('a file of 5,000 leads is imported but for 37 bad rows; one is mended, the others saved; a second time changes nothing', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=crm-leads');
  const { productId } = await findProduct(context, product.url, PRODUCT);
  const total = async () =>
    ((await callApi(context, product.url, 'GET', `/v1/leads/?product_id=${productId}&limit=1`)) as { total: number })
      .total;
  const before = await total();
  const file = { name: 'guests.csv', mimeType: 'text/csv', buffer: leadsCsv() };

  await page.getByRole('button', { name: 'Import' }).click();
  await page.locator('input[type=file]').setInputFiles({ ...file, buffer: Buffer.from('just a word') });
  await expectPage(page.getByRole('alert')).toContainText('The file has no rows below its header.');
  await page.locator('input[type=file]').setInputFiles(file);
  const becomes = (column: string) => page.getByRole('combobox', { name: `What the column ${column} becomes` });
  await expectPage(becomes('Имя')).toHaveValue('name');
  await expectPage(becomes('Телефон')).toHaveValue('whatsapp');
  await expectPage(becomes('Город')).toHaveValue('field');
  await page.getByRole('button', { name: 'Check 5,000 rows' }).click();

  await expectPage(page.getByText('guests.csv: 5,000 rows · 4,963 to import · 37 with errors')).toBeVisible();
  const first = page.getByRole('row').filter({ hasText: 'Not a WhatsApp address' }).first();
  await expectPage(first).toContainText('9');
  await page.getByRole('textbox', { name: 'WhatsApp of row 9', exact: true }).fill('8 (921) 555-00-00');
  await expectPage(page.getByText('4,964 to import · 36 with errors')).toBeVisible();
  await expectPage(page.getByRole('textbox', { name: 'WhatsApp of row 9', exact: true })).toBeVisible();
  expect(await total()).toBe(before);
  await page.getByRole('button', { name: 'Import 4,964 leads' }).click();
  await expectPage(page.getByText('4,964 leads imported · 36 skipped')).toBeVisible();
  expect(await total()).toBe(before + 4964);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download 36 skipped rows' }).click(),
  ]);
  const saved = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(saved).toHaveLength(37);
  expect(saved[1]).toBe('Guest 143,ring me,Omsk; centre,142,Not a WhatsApp address');

  await page.getByRole('button', { name: 'Import another file' }).click();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('button', { name: 'Check 5,000 rows' }).click();
  await expectPage(page.getByText('0 to import · 37 with errors · 4,963 existing')).toBeVisible();
  await expectPage(page.getByRole('button', { name: 'Import 0 leads' })).toBeDisabled();
  await page.getByText('Existing 4,963', { exact: true }).click();
  await expectPage(page.getByText('Already a lead of this product').first()).toBeVisible();

  // The rows are not imported, so leaving asks for confirmation.
  await page.getByRole('link', { name: 'Leads', exact: true }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('searchbox', { name: 'Search leads' }).fill('Guest 5000');
  await page.getByRole('row').filter({ hasText: 'Guest 5000' }).click();
  await expectPage(page.getByText('+7 921 1004999')).toBeVisible();
  await expectPage(page.getByText('Omsk; centre').first()).toBeVisible();
  expect(await total()).toBe(before + 4964);
}, 60_000);

it('rows are chosen with keyboard and mouse; what would happen is counted, and happens to exactly those', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url);
  const { productId } = await findProduct(context, product.url, PRODUCT);
  await callApi(context, product.url, 'POST', '/v1/leads/import', {
    product_id: productId,
    import_key: randomUUID(),
    rows: Array.from({ length: 120 }, (_one, index) => ({
      line: index + 2,
      name: `Crate ${index + 1}`,
      whatsapp: `+7 922 ${1_000_000 + index}`,
    })),
  });
  await page.goto(`${product.url}/?page=crm-leads&search=Crate%201`);
  const row = page.locator('[data-row-opener]');
  const bar = page.getByRole('toolbar', { name: 'Selected rows' });
  await expectPage(row.first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await expectPage(row.first()).toBeFocused();
  await page.keyboard.press('Space');
  await expectPage(bar).toContainText('1 selected');
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
  await expectPage(bar).toContainText(`${matching} selected`);
  await bar.getByRole('button', { name: 'Change stage' }).click();
  const stage = page.getByRole('dialog', { name: 'Change stage' });
  await stage.getByRole('combobox', { name: 'Stage' }).click();
  await page.getByRole('option', { name: 'Failed' }).click();
  await expectPage(stage.getByRole('status')).toContainText(`${matching} of ${matching} leads move to Failed.`);
  await stage.getByRole('button', { name: `Move ${matching} leads` }).click();
  await expectPage(page.getByText(`Moved ${matching} leads to Failed`)).toBeVisible();
  await expectPage(bar).toContainText(`${matching} selected`);
  await bar.getByRole('button', { name: 'Deactivate' }).click();
  const deactivateDialog = page.getByRole('dialog', { name: 'Deactivate' });
  await expectPage(deactivateDialog).toContainText(`The bot writes nothing more to ${matching} of ${matching} leads.`);
  await deactivateDialog.getByRole('button', { name: `Deactivate ${matching} leads` }).click();
  await expectPage(page.getByText(`Deactivated ${matching} leads`)).toBeVisible();

  // Another search clears the selection; the address keeps the search but not the selection.
  await page.getByRole('searchbox', { name: 'Search leads' }).fill('Crate 10');
  await expectPage(bar).toBeHidden();
  await expectPage(page.getByText(/of 11 leads/)).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('checkbox', { name: 'Select Crate 10', exact: true }).uncheck();
  await bar.getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Delete' });
  await expectPage(question).toContainText('Are you sure you want to delete 10 leads? This action cannot be undone.');
  await expectPage(question).toContainText('With them go 10 contacts, 0 dialogues and 0 messages.');
  await question.getByRole('button', { name: 'Delete 10 leads' }).click();
  await expectPage(page.getByText('Deleted 10 leads')).toBeVisible();
  await expectPage(page.getByText(/of 1 leads/)).toBeVisible();
  await expectPage(row.first()).toContainText('Crate 10');
  await expectPage(page.getByText('Failed', { exact: true }).first()).toBeVisible();
});

it('several rows of any list are deleted together; what is refused stays and says why', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=prompt-groups');
  const { productId } = await findProduct(context, product.url, PRODUCT);
  const leadIds: number[] = [];
  for (const name of ['Spare one', 'Spare two', 'Spare used']) {
    const body = { product_id: productId, name };
    leadIds.push(((await callApi(context, product.url, 'POST', '/v1/prompt_groups/', body)) as { id: number }).id);
  }
  await callApi(context, product.url, 'POST', '/v1/prompts/', {
    product_id: productId,
    name: 'Kept text',
    text: 'Say less.',
    type: 'prompt',
    group_id: leadIds[2],
  });
  await page.reload();
  for (const name of ['Spare one', 'Spare two', 'Spare used']) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  }
  await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Delete' });
  await expectPage(question).toContainText(
    'Are you sure you want to delete 3 prompt groups? This action cannot be undone.',
  );
  await question.getByRole('button', { name: 'Delete' }).click();
  await expectPage(question.getByRole('alert')).toContainText('1 prompt(s)');
  await question.getByRole('button', { name: 'Close' }).last().click();
  await expectPage(page.getByRole('row').filter({ hasText: 'Spare one' })).toHaveCount(0);
  await expectPage(page.getByRole('row').filter({ hasText: 'Spare used' })).toHaveCount(1);
  await expectPage(page.getByRole('toolbar', { name: 'Selected rows' })).toContainText('1 selected');
});
