/** Mutations of what an import makes of a file. */
import type { MutationsByTest } from './mutation.ts';

const CORPUS = 'gets the expected verdict for every case';

export const CSV_MUTATIONS: MutationsByTest = {
  'src/proofs/corpus/corpus.test.ts': {
    'Cells beyond the header are cut': {
      file: 'src/leads/pages/import/file.ts',
      disabled: 'if (count > width)',
      failing: CORPUS,
    },
    'One foreign byte turns a UTF-8 file into another encoding': {
      file: 'src/leads/pages/import/encoding.ts',
      change: ['return letters >= foreign', 'return false'],
      failing: CORPUS,
    },
    'UTF-16 is recognised by its mark alone': {
      file: 'src/leads/pages/import/encoding.ts',
      change: ['?? unmarkedUtf16(bytes) ??', '??'],
      failing: CORPUS,
    },
    'Letters that may be others are not named': {
      file: 'src/leads/pages/import/encoding.ts',
      change: ['isCertain: isAlone && isLikely', 'isCertain: true'],
      failing: CORPUS,
    },
    'One Russian word is taken for a text of a Mac': {
      file: 'src/leads/pages/import/encoding.ts',
      change: [
        "{ encoding: 'windows-1251', letters: RUSSIAN, prior: 10 }",
        "{ encoding: 'windows-1251', letters: RUSSIAN, prior: 0 }",
      ],
      failing: CORPUS,
    },
    'The line that names the delimiter is a row': {
      file: 'src/leads/pages/import/file.ts',
      change: ['named === null ? all : all.slice(1)', 'all'],
      failing: CORPUS,
    },
    'The delimiter is guessed without comparing the rows': {
      file: 'src/leads/pages/import/guess.ts',
      change: ['(rows / records.length) *', ''],
      failing: CORPUS,
    },
    'A row with an open quote swallows those below': {
      file: 'src/leads/pages/import/records.ts',
      change: ["if (end >= text.length || text[end] === '\\n') return null;", 'if (end >= text.length) return null;'],
      failing: CORPUS,
    },
    'The rest of a cell with a broken quote becomes a lead': {
      file: 'src/leads/pages/import/records.ts',
      change: ["quotes: isRest ? 'broken' : quotes", 'quotes'],
      failing: CORPUS,
    },
    'A second column with phone numbers is no address': {
      file: 'src/leads/pages/import/mapping.ts',
      change: ['return withAddresses.length > 0 ? withAddresses : certain.slice(0, 1)', 'return certain.slice(0, 1)'],
      failing: CORPUS,
    },
    'The phone number of a manager or company becomes the lead’s': {
      file: 'src/leads/pages/import/columnNames.ts',
      disabled: 'if (all.some((word) => OTHERS.test(word)))',
      failing: CORPUS,
    },
    'An id that a spreadsheet has rounded is another lead’s': {
      file: 'src/leads/importRowContract.ts',
      disabled: 'if (ROUNDED_ID.test(crmId))',
      failing: CORPUS,
    },
    'A dash in the other column makes a row invalid': {
      file: 'src/leads/placeholderContract.ts',
      change: ['PLACEHOLDER.test(text.trim())', 'false'],
      failing: CORPUS,
    },
    'A date is taken for a phone number': {
      file: 'src/leads/pages/import/mapping.ts',
      change: ['ADDRESS.test(cell) && !DATE.test(cell)', 'ADDRESS.test(cell)'],
      failing: CORPUS,
    },
    'A first row of leads names the columns': {
      file: 'src/leads/pages/import/guess.ts',
      change: ['firstLead === -1 ? filled : filled.slice(0, firstLead)', 'filled'],
      failing: CORPUS,
    },
    'A letter that cannot be read is sent to leads': {
      file: 'src/leads/pages/import/rows.ts',
      change: ['lead === null || unreadable.length > 0', 'lead === null'],
      failing: CORPUS,
    },
  },
  'src/leads/pages/import/rows.test.ts': {
    'A text with a comma becomes a list': {
      file: 'src/leads/pages/import/mapping.ts',
      change: [
        "if (target === 'field') fields[name] = parsePrintedNumber(cell) ?? cell",
        "if (target === 'field') fields[name] = parseCrmList(cell)",
      ],
      failing: 'joins names, keeps the text of a cell, and omits blanks',
    },
    'A number is written in another way than in the file': {
      file: 'src/platform/numericText.ts',
      change: ['number !== null && String(number) === text', 'number !== null'],
      failing: 'joins names, keeps the text of a cell, and omits blanks',
    },
    'A refused row is imported once a cell of it is edited': {
      file: 'src/leads/pages/import/rows.ts',
      change: ['const faultsOfRow = [read.fault,', 'const faultsOfRow = ['],
      failing: 'stay refused when what is wrong with them cannot be corrected in a cell',
    },
    'A skipped row is downloaded without the cells beyond the header': {
      file: 'src/leads/pages/import/rows.ts',
      change: ['Math.max(most, cells.length)', 'most'],
      failing: 'that were skipped are downloaded as they were in the file',
    },
  },
};
