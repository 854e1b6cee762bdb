/** Files as spreadsheets, CRMs and people save them, and the leads that they become. */
import type { Encoding } from '../../leads/pages/import/encoding.ts';
import { parseTable } from '../../leads/pages/import/file.ts';
import files from '../../leads/pages/import/files.corpus.json' with { type: 'json' };
import { guessMapping, mappingFault } from '../../leads/pages/import/mapping.ts';
import { describeStatus, toFileRows } from '../../leads/pages/import/rows.ts';
import { type CorpusFile, corpusOf } from './corpus.ts';

/** Without a property, the commonest value is expected: UTF-8, commas, a header in row 1, nothing refused. */
export interface FileCase {
  readonly kind: string;
  readonly name: string;
  /** `⟦96⟧` is that byte, in hexadecimal digits; `⟦x×9000⟧` the letter so many times. */
  readonly text: string;
  /** The encoding in which the file is written. */
  readonly write?: string;
  readonly encoding?: string;
  readonly delimiter?: string;
  readonly headerRow?: number;
  readonly columns?: readonly string[];
  /** Row, name and addresses of each lead. */
  readonly leads?: readonly string[];
  /** CRM fields of the first lead. */
  readonly fields?: string;
  /** The reason by row. */
  readonly refused?: Readonly<Record<string, string | undefined>>;
  readonly notes?: string;
  /** Why the guessed columns cannot be used. */
  readonly fault?: string;
  /** Why the file cannot be read. */
  readonly error?: string;
}

const file: CorpusFile<FileCase> = files;
export const FILE_CASES = file.cases;

/** Write the file of a case. */
export function bytesOf({ text, write = 'utf-8' }: FileCase): Buffer {
  const parts = text.split(/⟦(.*?)⟧/);
  return Buffer.concat(
    parts.map((part, index) => {
      if (index % 2 === 0) return encode(part, write);
      const [letter = '', times] = part.split('×');
      return times === undefined
        ? Buffer.from(part.replaceAll(' ', ''), 'hex')
        : encode(letter.repeat(Number(times)), write);
    }),
  );
}

function encode(text: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  const letters = Array.from(new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte)));
  return Buffer.from(
    Array.from(text, (letter) => {
      const byte = letters.indexOf(letter);
      if (byte === -1) throw new Error(`${encoding} has no ${letter}`);
      return byte;
    }),
  );
}

type Understood = Omit<FileCase, 'kind' | 'name' | 'text' | 'write'>;

/** Read a file as the import page does. */
function understand(one: FileCase): Understood {
  let table: ReturnType<typeof parseTable>;
  try {
    table = parseTable(one.name, bytesOf(one));
  } catch (error) {
    return { error: (error as Error).message };
  }
  const { reading, header: columns, short, swallowed, above, nuls } = table;
  const counts = Object.entries({ short, swallowed: swallowed.length, above, nul: nuls }).flatMap(([name, count]) =>
    count > 0 ? [`${count} ${name}`] : [],
  );
  const notes = [...counts, ...(table.isEncodingCertain ? [] : ['uncertain letters'])];
  const common = { ...reading, columns, notes: notes.join(', ') };
  const mapping = guessMapping(table);
  const fault = table.fault ?? mappingFault(mapping);
  if (fault !== null) return { ...common, fault };
  const rows = toFileRows(table, mapping);
  const isLead = rows.map((row) => describeStatus(row) === null);
  const leads = rows.filter((_, at) => isLead[at]);
  return {
    ...common,
    leads: leads.map(({ row }) => [row.line, row.name, row.whatsapp, row.telegram].filter(Boolean).join(' ')),
    refused: Object.fromEntries(
      rows.flatMap((row, at) => (isLead[at] ? [] : [[row.row.line, describeStatus(row) ?? '']])),
    ),
    ...(one.fields === undefined ? {} : { fields: JSON.stringify(leads[0]?.row.crm_fields) }),
  };
}

/** Write what a file was understood as, in lines. */
function linesOf(one: Understood): string {
  if (one.error !== undefined) return one.error;
  const { encoding = 'utf-8' satisfies Encoding, delimiter = ',', headerRow = 1, columns = [], notes = '' } = one;
  return [
    `${encoding}, ${JSON.stringify(delimiter)}, header ${headerRow}: ${columns.join(' | ')}`,
    ...(one.leads ?? []),
    ...Object.entries(one.refused ?? {}).map(([row, reason]) => `${row} refused: ${reason}`),
    ...[one.fields, notes, one.fault].filter(Boolean),
  ].join('\n');
}

export const FILES = corpusOf('files', file, (one) => ({
  input: `${one.name}: ${one.text.slice(0, 200)}`,
  expected: linesOf(one),
  actual: linesOf(understand(one)),
}));
