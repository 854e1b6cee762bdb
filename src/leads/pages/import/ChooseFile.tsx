import { Alert, Anchor, Button, FileButton, Stack, Text } from '@mantine/core';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { toCsv } from '../../../platform/csv.ts';
import { downloadFile } from '../../../ui/downloadFile.ts';
import { t } from '../../../ui/i18n.ts';
import classes from './import.module.css';
import { MAX_ROWS, type Table } from './table.ts';

/** Accept a file by button or by drag and drop. */
export function ChooseFile({ onTable }: { onTable: (table: Table) => void }) {
  const [over, setOver] = useState(false);
  const reading = useMutation({
    mutationFn: async (file: File) => (await import('./file.ts')).readTable(file),
    onSuccess: onTable,
  });
  const read = (file: File | null | undefined) => file && reading.mutate(file);
  return (
    <Stack gap="md">
      {/* Dropping is beside the button, which does the same */}
      <div
        className={classes.drop}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          read(event.dataTransfer.files[0]);
        }}
      >
        <IconFileSpreadsheet size="2rem" aria-hidden />
        <Text size="sm">
          {t(
            'A CSV file with a header row: names, WhatsApp or Telegram addresses, and anything else you know about the leads.',
          )}
        </Text>
        <FileButton onChange={read} accept=".csv,.tsv,.txt,text/csv">
          {(props) => (
            <Button {...props} loading={reading.isPending}>
              {t('Choose a file')}
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed">
          {t('or drop it here. Up to {{most}} rows.', { most: MAX_ROWS.toLocaleString('en') })}{' '}
          <Anchor
            component="button"
            type="button"
            size="xs"
            onClick={() => downloadFile('leads-example.csv', toCsv(EXAMPLE))}
          >
            {t('Download an example')}
          </Anchor>
        </Text>
      </div>
      {reading.error && (
        <Alert color="red" role="alert">
          {reading.error.message}
        </Alert>
      )}
    </Stack>
  );
}

const EXAMPLE = [
  ['Name', 'WhatsApp', 'Telegram', 'Time zone', 'CRM id', 'city', 'budget'],
  ['Ada Sample', '+44 7700 900123', '', 'Europe/London', '', 'London', 9000],
  ['Bo Sample', '', '@bo_sample', '', '1024', 'Riga', 4500],
];
