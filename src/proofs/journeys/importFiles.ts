/** Files through the import page, all in one page: what is understood, what is refused, and that nothing is lost. */
import type { Page } from '@playwright/test';
import { expect } from 'vitest';
import { bytesOf, type FileCase } from '../corpus/files.ts';
import { button, choice } from './locators.ts';
import { expectPage } from './signIn.ts';

/** Read each file and check its rows, without importing them. Returns how many rows there were. */
export async function importFiles(page: Page, cases: readonly FileCase[]): Promise<{ rows: number; refused: number }> {
  const sums = { rows: 0, refused: 0 };
  for (const one of cases) {
    const refused = Object.entries(one.refused ?? {});
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: one.name, mimeType: 'text/csv', buffer: bytesOf(one) });
    if (one.error !== undefined) {
      await expectPage(page.getByRole('alert')).toHaveText(one.error);
      continue;
    }
    await expectReading(page, one);
    if (one.fault === undefined) {
      const rows = (one.leads ?? []).length + refused.length;
      await expectRows(page, rows);
      await button(page, rows === 1 ? 'Check 1 row' : `Check ${rows} rows`).click();
      await expectReview(page, { ...one, rows });
      sums.rows += rows;
      sums.refused += refused.length;
      await button(page, 'Change columns').click();
    } else await expectPage(page.getByText(one.fault, { exact: true })).toBeVisible();
    await button(page, 'Choose another file').click();
  }
  return sums;
}

/** The page shows encoding, delimiter and header row, and a column for each name. */
async function expectReading(page: Page, one: FileCase): Promise<void> {
  const { encoding = 'utf-8', delimiter = ',', headerRow = 1, columns = [] } = one;
  await expectPage(page.getByText(`Map the columns of ${one.name}`)).toBeVisible();
  const chosen = { Encoding: encoding, Delimiter: delimiter, 'Header row': String(headerRow) };
  for (const [name, value] of Object.entries(chosen)) await expectPage(choice(page, name)).toHaveValue(value);
  await expectPage(page.getByRole('combobox', { name: /^Import column .* as$/s })).toHaveCount(columns.length);
}

/** Rows that are understood and rows that are refused are all rows of the file. */
async function expectRows(page: Page, rows: number): Promise<void> {
  const text = await page.getByRole('status', { name: 'Rows of the file' }).innerText();
  const [all, understood, refused] =
    /(\d+) rows? of \d+ cells?: (\d+) understood, (\d+) refused/.exec(text)?.slice(1) ?? [];
  expect([text, Number(all), Number(understood) + Number(refused)]).toEqual([text, rows, rows]);
}

/** The numbers of the check add up to the rows of the file, and each refused row says why. */
async function expectReview(page: Page, one: FileCase & { readonly rows: number }): Promise<void> {
  const { name, rows, leads = [], refused = {} } = one;
  const count = Object.keys(refused).length;
  await expectPage(button(page, leads.length === 1 ? 'Import 1 lead' : `Import ${leads.length} leads`)).toBeVisible();
  const errors = count > 0 ? ` · ${count} with errors` : '';
  const words = `${name}: ${rows === 1 ? '1 row' : `${rows} rows`} · ${leads.length} to import${errors}`;
  await expectPage(page.getByRole('status').filter({ hasText: `${name}:` })).toHaveText(words);
  for (const [row, reason] of Object.entries(refused)) {
    const line = page.getByRole('row').filter({ has: page.getByRole('cell', { name: new RegExp(`^${row}(?!\\d)`) }) });
    await expectPage(line).toContainText(reason ?? '');
  }
  const saved = count === 1 ? 'Download 1 skipped row' : `Download ${count} skipped rows`;
  if (count > 0) await expectPage(button(page, saved)).toBeVisible();
}
