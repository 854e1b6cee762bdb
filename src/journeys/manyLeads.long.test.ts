/** Many leads at once: out of a file, and in a list. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ask, choice } from './ask.ts';
import { openConsole, PRODUCT, see } from './signIn.ts';
import { chromium, product, setStage } from './stage.ts';

setStage({ quiet: true });

const ROWS = 5000;
const BAD = 37;

/** Five thousand people, of whom every 135th, from the eighth on, has no number that can be written to. */
function people(): Buffer {
  const rows = Array.from({ length: ROWS }, (_one, index) => {
    const wrong = index % 135 === 7 && index < 135 * BAD;
    return `Guest ${index + 1};${wrong ? 'ring me' : `+7 921 ${1_000_000 + index}`};"Omsk; centre";${index}`;
  });
  return Buffer.from(['Имя;Телефон;Город;Budget', ...rows].join('\r\n'));
}

it('a file of 5,000 leads is imported but for 37 bad rows; one is mended, the others saved; a second time changes nothing', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=crm-leads');
  const { productId } = await choice(context, product.url, PRODUCT);
  const total = async () =>
    ((await ask(context, product.url, 'GET', `/v1/leads/?product_id=${productId}&limit=1`)) as { total: number }).total;
  const before = await total();
  const file = { name: 'guests.csv', mimeType: 'text/csv', buffer: people() };

  await page.getByRole('button', { name: 'Import' }).click();
  await page.locator('input[type=file]').setInputFiles({ ...file, buffer: Buffer.from('just a word') });
  await see(page.getByRole('alert')).toContainText('The file has no rows below its header.');
  await page.locator('input[type=file]').setInputFiles(file);
  const becomes = (column: string) => page.getByRole('combobox', { name: `What the column ${column} becomes` });
  await see(becomes('Имя')).toHaveValue('name');
  await see(becomes('Телефон')).toHaveValue('whatsapp');
  await see(becomes('Город')).toHaveValue('field');
  await page.getByRole('button', { name: 'Check 5,000 rows' }).click();

  await see(page.getByText('guests.csv: 5,000 rows · 4,963 to import · 37 with errors')).toBeVisible();
  const first = page.getByRole('row').filter({ hasText: 'Not a WhatsApp address' }).first();
  await see(first).toContainText('9');
  await page.getByRole('textbox', { name: 'WhatsApp of row 9', exact: true }).fill('8 (921) 555-00-00');
  await see(page.getByText('4,964 to import · 36 with errors')).toBeVisible();
  await see(page.getByRole('textbox', { name: 'WhatsApp of row 9', exact: true })).toBeVisible();
  expect(await total()).toBe(before);
  await page.getByRole('button', { name: 'Import 4,964 leads' }).click();
  await see(page.getByText('4,964 leads imported · 36 left out')).toBeVisible();
  expect(await total()).toBe(before + 4964);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the 36 left out' }).click(),
  ]);
  const saved = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
  expect(saved).toHaveLength(37);
  expect(saved[1]).toBe('Guest 143,ring me,Omsk; centre,142,Not a WhatsApp address');

  await page.getByRole('button', { name: 'Another file' }).click();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('button', { name: 'Check 5,000 rows' }).click();
  await see(page.getByText('0 to import · 37 with errors · 4,963 known already')).toBeVisible();
  await see(page.getByRole('button', { name: 'Import 0 leads' })).toBeDisabled();
  await page.getByText('Known already 4,963', { exact: true }).click();
  await see(page.getByText('A lead of this product already').first()).toBeVisible();

  // The rows are not imported, so leaving asks.
  await page.getByRole('link', { name: 'Leads', exact: true }).click();
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('searchbox', { name: 'Search leads' }).fill('Guest 5000');
  await page.getByRole('row').filter({ hasText: 'Guest 5000' }).click();
  await see(page.getByText('+7 921 1004999')).toBeVisible();
  await see(page.getByText('Omsk; centre').first()).toBeVisible();
  expect(await total()).toBe(before + 4964);
}, 60_000);

it('rows are chosen with keyboard and mouse; what would happen is counted, and happens to exactly those', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url);
  const { productId } = await choice(context, product.url, PRODUCT);
  await ask(context, product.url, 'POST', '/v1/leads/import', {
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
  await see(row.first()).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await see(row.first()).toBeFocused();
  await page.keyboard.press('Space');
  await see(bar).toContainText('1 selected');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+Space');
  await see(bar).toContainText('3 selected');
  await page.keyboard.press('Escape');
  await see(bar).toBeHidden();

  // 1, 10 to 19 and 100 to 120.
  const matching = 32;
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await see(bar).toContainText('25 selected');
  await bar.getByRole('button', { name: `Select all ${matching} matching` }).click();
  await see(bar).toContainText(`${matching} selected`);
  await bar.getByRole('button', { name: 'Change stage' }).click();
  const stage = page.getByRole('dialog', { name: 'Change stage' });
  await stage.getByRole('combobox', { name: 'Stage' }).click();
  await page.getByRole('option', { name: 'Failed' }).click();
  await see(stage.getByRole('status')).toContainText(`${matching} of ${matching} leads move to Failed.`);
  await stage.getByRole('button', { name: `Move ${matching} leads` }).click();
  await see(page.getByText(`Moved ${matching} leads to Failed`)).toBeVisible();
  await see(bar).toContainText(`${matching} selected`);
  await bar.getByRole('button', { name: 'Deactivate' }).click();
  const silence = page.getByRole('dialog', { name: 'Deactivate' });
  await see(silence).toContainText(`The bot writes nothing more to ${matching} of ${matching} leads.`);
  await silence.getByRole('button', { name: `Deactivate ${matching} leads` }).click();
  await see(page.getByText(`Deactivated ${matching} leads`)).toBeVisible();

  // Another search is another selection; the address keeps the search and not the selection.
  await page.getByRole('searchbox', { name: 'Search leads' }).fill('Crate 10');
  await see(bar).toBeHidden();
  await see(page.getByText(/of 11 leads/)).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
  await page.getByRole('checkbox', { name: 'Select Crate 10', exact: true }).uncheck();
  await bar.getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Delete' });
  await see(question).toContainText('Are you sure you want to delete 10 leads? This action cannot be undone.');
  await see(question).toContainText('With them go 10 contacts, 0 dialogues and 0 messages.');
  await question.getByRole('button', { name: 'Delete 10 leads' }).click();
  await see(page.getByText('Deleted 10 leads')).toBeVisible();
  await see(page.getByText(/of 1 leads/)).toBeVisible();
  await see(row.first()).toContainText('Crate 10');
  await see(page.getByText('Failed', { exact: true }).first()).toBeVisible();
});

it('several rows of any list are deleted together; what is refused stays and says why', async () => {
  const context = await chromium.context();
  const page = await openConsole(context, product.url, '/?page=prompt-groups');
  const { productId } = await choice(context, product.url, PRODUCT);
  const made: number[] = [];
  for (const name of ['Spare one', 'Spare two', 'Spare used']) {
    const body = { product_id: productId, name };
    made.push(((await ask(context, product.url, 'POST', '/v1/prompt_groups/', body)) as { id: number }).id);
  }
  await ask(context, product.url, 'POST', '/v1/prompts/', {
    product_id: productId,
    name: 'Kept text',
    text: 'Say less.',
    type: 'prompt',
    group_id: made[2],
  });
  await page.reload();
  for (const name of ['Spare one', 'Spare two', 'Spare used']) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  }
  await page.getByRole('toolbar', { name: 'Selected rows' }).getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Delete' });
  await see(question).toContainText('Are you sure you want to delete 3 prompt groups? This action cannot be undone.');
  await question.getByRole('button', { name: 'Delete' }).click();
  await see(question.getByRole('alert')).toContainText('1 prompt(s)');
  await question.getByRole('button', { name: 'Close' }).last().click();
  await see(page.getByRole('row').filter({ hasText: 'Spare one' })).toHaveCount(0);
  await see(page.getByRole('row').filter({ hasText: 'Spare used' })).toHaveCount(1);
  await see(page.getByRole('toolbar', { name: 'Selected rows' })).toContainText('1 selected');
});
