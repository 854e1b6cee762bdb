import { describe, expect, it } from 'vitest';
import { toCsv } from '../../../platform/csv.ts';
import { parseTable } from './file.ts';
import { guessMapping, mappingFault, mapRow } from './mapping.ts';
import { applyAnswers, describeStatus, matchesFilter, rejectedTable, toFileRows, updateCell } from './rows.ts';

const table = (text: string) => parseTable('leads.csv', Buffer.from(text));
const rows = (text: string) => toFileRows(table(text), guessMapping(table(text)));
const kinds = (found: ReturnType<typeof rows>) => found.map((one) => `${one.row.line} ${one.status.kind}`);

describe('a file', () => {
  it.each([
    ['commas', 'Name,Phone\nAda,+79160001122'],
    ['semicolons', 'Name;Phone\r\nAda;+79160001122\r\n'],
    ['tabs and a mark', '\ufeffName\tPhone\nAda\t+79160001122'],
    ['a defused number', "Name,Phone\nAda,'+79160001122"],
  ])('reads a file with %s', (_what, text) => {
    expect(table(text)).toMatchObject({
      header: ['Name', 'Phone'],
      rows: [{ line: 2, cells: ['Ada', '+79160001122'] }],
    });
  });

  it('keeps row numbers past blank rows, and names unnamed columns', () => {
    const found = table('Name,,Name\n\nAda,1,2\n , ,\nBo,3,4');
    expect(found.header).toEqual(['Name', 'Column 2', 'Name (2)']);
    expect(found.rows.map((row) => row.line)).toEqual([3, 5]);
  });

  it('is read again in another way, which takes effect together with what was chosen before', () => {
    const found = table('Name;Note, long\nAda, B;x\nBo, C;y');
    expect(found).toMatchObject({ header: ['Name', 'Note, long'], reading: { delimiter: ';', headerRow: 1 } });
    expect(found.reread({ delimiter: ',', headerRow: 0 })).toMatchObject({
      header: ['Column 1', 'Column 2'],
      rows: [{ cells: ['Name;Note', 'long'] }, { cells: ['Ada', 'B;x'] }, { cells: ['Bo', 'C;y'] }],
    });
  });
});

describe('a mapping', () => {
  it('is guessed from headers in both languages; other columns are CRM fields, empty ones ignored', () => {
    const found = table('Имя,Телефон,Telegram,Часовой пояс,ID сделки,Город,Пусто\nАда,1,2,3,4,Омск,');
    expect(guessMapping(found)).toEqual(['name', 'whatsapp', 'telegram', 'timezone', 'crm_id', 'field', 'skip']);
    const english = table('First name,Last name,Mobile,Phone 2,__proto__\nA,B,1,2,3');
    expect(guessMapping(english)).toEqual(['name', 'name', 'whatsapp', 'field', 'skip']);
  });

  it('reports what is missing', () => {
    expect(mappingFault(['field', 'whatsapp'])).toBe('Choose the column with the names.');
    expect(mappingFault(['name', 'field'])).toBe(
      'Choose a column with WhatsApp or Telegram addresses, or with CRM ids.',
    );
    expect(mappingFault(['name', 'crm_id'])).toBeNull();
  });

  it('joins names, keeps the text of a cell, and omits blanks', () => {
    const found = table('First name,Last name,Phone,budget,rate,wishes,note\nAda,Lovelace,1,900,1.50,"oak, ash",');
    const [row] = found.rows;
    expect(row && mapRow(found, guessMapping(found), row)).toMatchObject({
      name: 'Ada Lovelace',
      crm_fields: { budget: 900, rate: '1.50', wishes: 'oak, ash' },
    });
  });

  it('splits a column at its commas when that is chosen', () => {
    const found = table('Name,Phone,wishes\nAda,1,"oak, ash"');
    const [row] = found.rows;
    expect(guessMapping(found)).toEqual(['name', 'whatsapp', 'field']);
    expect(row && mapRow(found, ['name', 'whatsapp', 'list'], row).crm_fields).toEqual({ wishes: ['oak', 'ash'] });
  });

  it('takes addresses from every column that has some', () => {
    const found = rows(
      'Name,Phone 1 - Type,Phone 1 - Value,Phone 2\nAda,Mobile,79160001122,79160001133\nBo,Home,79160001144,',
    );
    expect(found.map((one) => one.row.whatsapp)).toEqual(['79160001122; 79160001133', '79160001144']);
    expect(kinds(found)).toEqual(['2 ready', '3 ready']);
  });

  it('does not send values that are too long', () => {
    const found = rows(`Name,Phone,note\nAda,79160001122,${'x'.repeat(10_001)}`);
    expect(found[0] && describeStatus(found[0])).toBe('A value is too long');
  });
});

describe('rows', () => {
  const FILE = 'Name,Phone\nAda,79160001122\nBo,ring me\nCy,8 916 000 11 22\nDi,79160001133';

  it('are validated alone and against each other', () => {
    const found = rows(FILE);
    expect(kinds(found)).toEqual(['2 ready', '3 invalid', '4 twin', '5 ready']);
    expect(found.map(describeStatus)).toEqual([null, 'Not a WhatsApp address', 'Duplicate of row 2', null]);
  });

  it('can be corrected, stay visible meanwhile, and are compared again', () => {
    const fixedRows = updateCell(rows(FILE), { line: 3, field: 'whatsapp', text: '79160001144' });
    expect(kinds(fixedRows)).toEqual(['2 ready', '3 ready', '4 twin', '5 ready']);
    expect(fixedRows.filter((one) => matchesFilter('errors', one)).map((one) => one.row.line)).toEqual([3]);
    expect(kinds(updateCell(fixedRows, { line: 2, field: 'whatsapp', text: 'no' }))).toEqual([
      '2 invalid',
      '3 ready',
      '4 ready',
      '5 ready',
    ]);
  });

  it('are corrected by saying that there is nothing', () => {
    const [row] = rows('Name,Phone,Telegram\nAda,ring me,@ada_byron');
    expect(row && describeStatus(row)).toBe('Not a WhatsApp address');
    const corrected = updateCell(row ? [row] : [], { line: 2, field: 'whatsapp', text: ' n/a ' });
    expect(kinds(corrected)).toEqual(['2 ready']);
    expect(kinds(updateCell(corrected, { line: 2, field: 'telegram', text: '-' }))).toEqual(['2 invalid']);
  });

  it('stay refused when what is wrong with them cannot be corrected in a cell', () => {
    const file = `Name,Phone,note\nAda,79160001122,oak,ash\n"Bo,79160001133,x\nCy,1,${'x'.repeat(10_001)}`;
    const found = rows(file);
    expect(found.map(describeStatus)).toEqual([
      '4 cells, but 3 columns',
      'A quote is not closed',
      'A value is too long',
    ]);
    const edited = updateCell(found, { line: 4, field: 'whatsapp', text: '79160001144' });
    expect(kinds(updateCell(edited, { line: 2, field: 'name', text: 'Ada' }))).toEqual([
      '2 invalid',
      '3 invalid',
      '4 invalid',
    ]);
  });

  it('are not imported with a letter that cannot be read, until it is corrected', () => {
    const bytes = Buffer.concat([
      Buffer.from('Имя,Телефон\nАнна '),
      Buffer.from([0x96]),
      Buffer.from(' Б,79160001122'),
    ]);
    const read = parseTable('leads.csv', bytes);
    const found = toFileRows(read, guessMapping(read));
    expect(found.map(describeStatus)).toEqual(['A letter of it cannot be read']);
    expect(kinds(updateCell(found, { line: 2, field: 'name', text: 'Анна Б' }))).toEqual(['2 ready']);
  });

  it("take the server's results, and are ready after a check", () => {
    const answers = [
      { line: 2, outcome: 'created' as const, lead_id: null, errors: [] },
      { line: 5, outcome: 'present' as const, lead_id: 7, errors: [] },
    ];
    expect(kinds(applyAnswers(rows(FILE), answers, true))).toEqual(['2 ready', '3 invalid', '4 twin', '5 present']);
    expect(kinds(applyAnswers(rows(FILE), answers, false))).toEqual(['2 created', '3 invalid', '4 twin', '5 present']);
  });

  it('are read from an export unchanged: formulas, multi-line names and apostrophes too', () => {
    const rows = [
      ['Name', 'Phone', 'Note'],
      ["Bob;=1+cmd|' /C calc'!A0", '+371 29 000 001', '＝1'],
      ["'=kept", "'quoted'", 'two\n=lines; -5\t@x'],
    ];
    const { header, rows: read } = table(toCsv(rows));
    expect([header, ...read.map((one) => one.cells)]).toEqual(rows);
  });

  it('that were skipped are downloaded as they were in the file, and can be imported again', () => {
    const file = 'Name,Phone\n"Bo\nB",79160001122\nAda,+7916\nCy,79160001133,oak';
    const csv = toCsv(rejectedTable(table(file), rows(file)));
    expect(table(csv)).toMatchObject({
      header: ['Name', 'Phone', 'Column 3', 'Why it was skipped', 'Line of the file'],
      rows: [
        { cells: ['Ada', '+7916', '', '+7916 has too few digits for a number in Russia', '4'] },
        { cells: ['Cy', '79160001133', 'oak', '3 cells, but 2 columns', '5'] },
      ],
    });
    expect(guessMapping(table(csv))).toEqual(['name', 'whatsapp', 'field', 'skip', 'skip']);
  });
});
