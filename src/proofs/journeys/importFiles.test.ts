/** Some files through the import page, one of which is read in another way; all of them are in the long journeys. */
import { expect, it } from 'vitest';
import { FILE_CASES } from '../corpus/files.ts';
import { download } from './actions.ts';
import { importFiles } from './importFiles.ts';
import { setUpJourney } from './journeySetup.ts';
import { button, choice } from './locators.ts';
import { expectPage } from './signIn.ts';
import { openPage } from './start.ts';

setUpJourney();

const SOME = [
  'unicode-text.txt',
  'foreign-byte.csv',
  'line-break-in-header.csv',
  'sep.csv',
  'two-phones.csv',
  'leads-xlsx.csv',
];

it('shows how a file was understood, lets that be changed, and names the rows it refuses', async () => {
  const { page } = await openPage('leads-import');
  const cases = FILE_CASES.filter(({ name }) => SOME.includes(name));
  expect(cases).toHaveLength(SOME.length);
  await importFiles(page, cases);

  const text = 'Clients;of;November\nName;Phone;Wishes\nAda;79160001122;oak, ash\nBo;79160001133;elm;more\n';
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'fair.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  const rows = page.getByRole('status', { name: 'Rows of the file' });
  await expectPage(rows).toContainText('2 rows of 3 cells: 1 understood, 1 refused');
  await expectPage(rows).toContainText('Row 4: 4 cells, but 3 columns');
  await choice(page, 'Header row').selectOption('0');
  await expectPage(rows).toContainText('4 rows of 3 cells: 3 understood, 1 refused');
  await choice(page, 'Delimiter').selectOption(',');
  await expectPage(rows).toContainText('4 rows of 1 cells');
  await choice(page, 'Delimiter').selectOption(';');
  await choice(page, 'Header row').selectOption('2');
  await expectPage(choice(page, 'Import column Wishes as')).toHaveValue('field');
  await choice(page, 'Import column Wishes as').selectOption('list');
  await button(page, 'Check 2 rows').click();
  const saved = await download(page, 'Download 1 skipped row');
  expect(saved.text).toContain('"Bo","79160001133","elm","more","4 cells, but 3 columns","4"');
});
