import { Alert, Button, Table as Grid, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { t } from '../../../ui/i18n.ts';
import { TagsField } from '../shared/TagsField.tsx';
import classes from './import.module.css';
import { type Mapping, mappingFault, mayRepeat, namesField, type Target, targetLabel, targets } from './mapping.ts';
import type { ImportLabels } from './send.ts';
import { TagRules } from './TagRules.tsx';
import type { Reading, Table } from './table.ts';
import { Understood } from './Understood.tsx';

interface MapColumnsProps {
  table: Table;
  mapping: Mapping;
  labels: ImportLabels;
  onLabels: (labels: ImportLabels) => void;
  onChange: (mapping: Mapping) => void;
  /** Reads the file in another way. */
  onReading: (choice: Partial<Reading>) => void;
  onDone: () => void;
  onBack: () => void;
}

const SAMPLES = 3;

/** Assign a target to each column of the file. */
export function MapColumns(props: MapColumnsProps) {
  const { table, mapping, labels, onLabels, onChange, onReading, onDone, onBack } = props;
  const fault = table.fault ?? mappingFault(mapping);
  const optionsOf = (column: number) =>
    targets
      .filter((target) => (target !== 'field' && target !== 'list') || namesField(table.header[column] ?? ''))
      .map((target) => ({
        value: target,
        label: targetLabel(target),
        disabled: !mayRepeat(target) && mapping.some((other, at) => other === target && at !== column),
      }));
  const choose = (column: number, value: string) => {
    const target = targets.find((one): one is Target => one === value);
    if (target) onChange(mapping.map((former, at) => (at === column ? target : former)));
  };
  return (
    <Stack gap="md">
      <Text size="sm">{t('Map the columns of {{file}}', { file: table.name })}</Text>
      <Understood table={table} onReading={onReading} />
      <Grid>
        <Grid.Thead>
          <Grid.Tr>
            <Grid.Th>{t('Column')}</Grid.Th>
            <Grid.Th visibleFrom="sm">{t('Sample')}</Grid.Th>
            <Grid.Th>{t('Import as')}</Grid.Th>
          </Grid.Tr>
        </Grid.Thead>
        <Grid.Tbody>
          {table.header.map((name, column) => (
            <Grid.Tr key={name}>
              <Grid.Td className={classes.words}>
                <Text size="sm" fw={500}>
                  {name}
                </Text>
                <Text size="xs" c="dimmed" hiddenFrom="sm">
                  {sampleValues(table, column)}
                </Text>
              </Grid.Td>
              <Grid.Td c="dimmed" className={classes.words} visibleFrom="sm">
                {sampleValues(table, column)}
              </Grid.Td>
              <Grid.Td>
                <NativeSelect
                  size="xs"
                  aria-label={t('Import column {{name}} as', { name })}
                  value={mapping[column] ?? 'skip'}
                  onChange={(event) => choose(column, event.currentTarget.value)}
                  data={optionsOf(column)}
                />
              </Grid.Td>
            </Grid.Tr>
          ))}
        </Grid.Tbody>
      </Grid>
      <LabelFields labels={labels} onLabels={onLabels} />
      <TagRules
        fields={table.header.filter((_name, column) => mapping[column] === 'field' || mapping[column] === 'list')}
      />
      {fault && (
        <Alert color="yellow" role="status">
          {fault}
        </Alert>
      )}
      <Group>
        <Button onClick={onDone} disabled={fault !== null}>
          {t('Check {{count, number}} rows', { count: table.rows.length, defaultValue_one: 'Check {{count}} row' })}
        </Button>
        <Button variant="default" onClick={onBack}>
          {t('Choose another file')}
        </Button>
      </Group>
    </Stack>
  );
}

/** The name of the import, and the tags of all its leads. */
function LabelFields({ labels, onLabels }: Pick<MapColumnsProps, 'labels' | 'onLabels'>) {
  return (
    <Group align="flex-start" grow preventGrowOverflow={false}>
      <TextInput
        label={t('Import name')}
        description={t('You can filter leads by it.')}
        maxLength={200}
        value={labels.name}
        onChange={(event) => onLabels({ ...labels, name: event.currentTarget.value })}
      />
      <TagsField
        label={t('Tags for all leads')}
        description={t('Added to those from a tags column and from the rules.')}
        value={labels.tags}
        onChange={(tags) => onLabels({ ...labels, tags })}
      />
    </Group>
  );
}

function sampleValues(table: Table, column: number): string {
  const samples = new Set<string>();
  for (const { cells, fault } of table.rows) {
    const cell = fault === null ? (cells[column] ?? '') : '';
    if (cell !== '') samples.add(cell.length > 40 ? `${cell.slice(0, 40)}…` : cell);
    if (samples.size === SAMPLES) break;
  }
  return samples.size === 0 ? t('empty') : [...samples].join(' · ');
}
