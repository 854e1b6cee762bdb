/** How the file was understood, each part of which can be changed: encoding, delimiter, header row, rows. */
import { Group, List, NativeSelect, Stack, Text } from '@mantine/core';
import { t } from '../../../ui/i18n.ts';
import { type Encoding, encodings } from './encoding.ts';
import { delimiters } from './guess.ts';
import classes from './import.module.css';
import type { Reading, Table } from './table.ts';

interface UnderstoodProps {
  table: Table;
  onReading: (choice: Partial<Reading>) => void;
}

export function Understood({ table, onReading }: UnderstoodProps) {
  const { encoding, delimiter, headerRow } = table.reading;
  const rowOptions = table.firstRows.map(({ row, text }) => ({
    value: String(row),
    label: `${row}: ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`,
  }));
  return (
    <Stack gap="xs">
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <NativeSelect
          size="xs"
          label={t('Encoding')}
          value={encoding}
          data={encodings.map((value) => ({ value, label: encodingLabel(value) }))}
          onChange={(event) => {
            const chosen = encodings.find((one) => one === event.currentTarget.value);
            if (chosen) onReading({ encoding: chosen });
          }}
        />
        <NativeSelect
          size="xs"
          label={t('Delimiter')}
          value={delimiter}
          data={[...new Set([...delimiters, delimiter])].map((value) => ({ value, label: delimiterLabel(value) }))}
          onChange={(event) => onReading({ delimiter: event.currentTarget.value })}
        />
        <NativeSelect
          size="xs"
          label={t('Header row')}
          value={String(headerRow)}
          data={[{ value: '0', label: t('None: every row is a lead') }, ...rowOptions]}
          onChange={(event) => onReading({ headerRow: Number(event.currentTarget.value) })}
        />
      </Group>
      <RowsUnderstood table={table} />
    </Stack>
  );
}

/** Refused rows to show at this step; the next one shows all. */
const MAX_REFUSED = 5;

function RowsUnderstood({ table }: { table: Table }) {
  const { rows, header, short, swallowed, above, nuls, isEncodingCertain } = table;
  const refused = rows.filter(({ fault }) => fault !== null);
  const counts = t('{{count, number}} rows of {{width}} cells: {{understood}} understood, {{refused}} refused', {
    count: rows.length,
    width: header.length,
    understood: rows.length - refused.length,
    refused: refused.length,
    defaultValue_one: '1 row of {{width}} cells: {{understood}} understood, {{refused}} refused',
  });
  const notes = [
    ...(isEncodingCertain
      ? []
      : [t('The letters are uncertain: look at the samples, and choose another encoding if they are wrong')]),
    ...refused
      .slice(0, MAX_REFUSED)
      .map(({ line, fault }) => t('Row {{line}}: {{fault}}', { line, fault: fault ?? '' })),
    ...(refused.length > MAX_REFUSED ? [t('{{count}} more are refused', { count: refused.length - MAX_REFUSED })] : []),
    ...(swallowed.length > 0
      ? [
          t(
            '{{count, number}} rows have a cell of several lines with delimiters: look for a missing quote from row {{row}}',
            {
              count: swallowed.length,
              row: swallowed[0] ?? 0,
              defaultValue_one:
                '1 row has a cell of several lines with delimiters: look for a missing quote in row {{row}}',
            },
          ),
        ]
      : []),
    ...(short > 0
      ? [
          t('{{count, number}} rows have fewer cells: the missing ones are empty', {
            count: short,
            defaultValue_one: '1 row has fewer cells: the missing ones are empty',
          }),
        ]
      : []),
    ...(above > 0
      ? [
          t('{{count, number}} rows above the header are left out', {
            count: above,
            defaultValue_one: '1 row above the header is left out',
          }),
        ]
      : []),
    ...(nuls > 0
      ? [
          t('{{count, number}} NUL characters are left out', {
            count: nuls,
            defaultValue_one: '1 NUL character is left out',
          }),
        ]
      : []),
  ];
  return (
    <div role="status" aria-label={t('Rows of the file')} className={classes.words}>
      <Text size="sm">{counts}</Text>
      <List size="sm" c="dimmed">
        {notes.map((note) => (
          <List.Item key={note}>{note}</List.Item>
        ))}
      </List>
    </div>
  );
}

function delimiterLabel(delimiter: string): string {
  const labels: Readonly<Record<string, string>> = {
    ',': t('Comma'),
    ';': t('Semicolon'),
    '\t': t('Tab'),
    '|': t('Vertical bar'),
  };
  return labels[delimiter] ?? delimiter;
}

function encodingLabel(encoding: Encoding): string {
  const labels: Readonly<Record<Encoding, string>> = {
    'utf-8': 'UTF-8',
    'utf-16le': 'UTF-16 LE',
    'utf-16be': 'UTF-16 BE',
    'windows-1251': t('Cyrillic (Windows-1251)'),
    'windows-1252': t('Western European (Windows-1252)'),
    'windows-1250': t('Central European (Windows-1250)'),
    'koi8-r': t('Cyrillic (KOI8-R)'),
    'x-mac-cyrillic': t('Cyrillic (Mac)'),
    ibm866: t('Cyrillic (DOS)'),
    'windows-1254': t('Turkish (Windows-1254)'),
    'windows-1257': t('Baltic (Windows-1257)'),
    'windows-1253': t('Greek (Windows-1253)'),
    'windows-1255': t('Hebrew (Windows-1255)'),
    'windows-1256': t('Arabic (Windows-1256)'),
    gb18030: t('Chinese (GB 18030)'),
    shift_jis: t('Japanese (Shift JIS)'),
  };
  return labels[encoding];
}
