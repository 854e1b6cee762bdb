/** Every file of the corpus through the import page. */
import { expect, it } from 'vitest';
import { FILE_CASES } from '../corpus/files.ts';
import { importFiles } from './importFiles.ts';
import { setUpJourney } from './journeySetup.ts';
import { openPage } from './start.ts';

setUpJourney();

it('understands every file of the corpus, or says why not, and loses no row', async () => {
  const { page } = await openPage('leads-import');
  expect(FILE_CASES.length).toBeGreaterThan(40);
  const { rows, refused } = await importFiles(page, FILE_CASES);
  expect(rows).toBeGreaterThan(refused);
}, 300_000);
