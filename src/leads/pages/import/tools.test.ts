import { expect, it } from 'vitest';
import { checkPageContext } from '../../../ui/pageContext.ts';
import { parseTable } from './file.ts';
import { guessMapping } from './mapping.ts';
import { toFileRows } from './rows.ts';
import { importTools } from './tools.ts';

const table = parseTable('fair.csv', Buffer.from('Name,WhatsApp\nAda,+44 7700 900123\n,not a number'));
const mapping = guessMapping(table);

it("gives the assistant the import's columns and skipped rows", async () => {
  const { tools, handlers } = importTools({ table, mapping, rows: toFileRows(table, mapping) });
  expect(checkPageContext({ description: 'Import', summary: '', tools, handlers })).toBeNull();
  expect(await handlers['show_columns']?.call({})).toEqual({
    columns: [
      { name: 'Name', becomes: 'name', values: ['Ada', ''] },
      { name: 'WhatsApp', becomes: 'whatsapp', values: ['+44 7700 900123', 'not a number'] },
    ],
  });
  expect(await handlers['show_left_out_rows']?.call({})).toMatchObject({
    total: 1,
    rows: [{ line: 3, kind: 'invalid' }],
  });
  await expect(importTools(null).handlers['show_columns']?.call({})).rejects.toThrow('No file is chosen yet.');
});
