/** Conditions on fields that the operator names, each added with its button. */
import { ActionIcon, Autocomplete, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { type FieldCondition, readFieldCondition, writeFieldCondition } from './filter.ts';
import { t } from './i18n.ts';

interface FieldConditionsProps {
  /** Names to offer. */
  fields: readonly string[];
  values: readonly string[];
  onChange: (conditions: readonly string[]) => void;
}

const EMPTY: FieldCondition = { field: '', contains: false, value: '' };

export function FieldConditions({ fields, values, onChange }: FieldConditionsProps) {
  const [typed, setTyped] = useState(EMPTY);
  const condition = { ...typed, field: typed.field.trim(), value: typed.value.trim() };
  const isComplete = condition.field !== '' && condition.value !== '';
  const add = (event: FormEvent) => {
    event.preventDefault();
    if (!isComplete) return;
    onChange([...new Set([...values, writeFieldCondition(condition)])]);
    setTyped(EMPTY);
  };
  return (
    <Stack gap="xs" component="form" onSubmit={add}>
      {values.map((value) => {
        const one = readFieldCondition(value);
        return (
          <Group key={value} gap="xs" justify="space-between" wrap="nowrap">
            <Text size="xs">{one ? `${one.field} ${one.contains ? t('contains') : '='} ${one.value}` : value}</Text>
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={t('Remove {{key}}', { key: one?.field ?? value })}
              onClick={() => onChange(values.filter((other) => other !== value))}
            >
              <IconX size="0.9rem" />
            </ActionIcon>
          </Group>
        );
      })}
      <Autocomplete
        size="xs"
        label={t('Field')}
        data={[...fields]}
        value={typed.field}
        comboboxProps={{ withinPortal: false }}
        onChange={(field) => setTyped({ ...typed, field })}
        data-autofocus
      />
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <NativeSelect
          size="xs"
          aria-label={t('Condition')}
          data={[
            { value: 'is', label: t('is') },
            { value: 'contains', label: t('contains') },
          ]}
          value={typed.contains ? 'contains' : 'is'}
          onChange={(event) => setTyped({ ...typed, contains: event.currentTarget.value === 'contains' })}
        />
        <TextInput
          size="xs"
          flex={1}
          label={t('Value')}
          maxLength={300}
          value={typed.value}
          onChange={(event) => setTyped({ ...typed, value: event.currentTarget.value })}
        />
      </Group>
      <Button size="xs" type="submit" disabled={!isComplete}>
        {t('Add condition')}
      </Button>
    </Stack>
  );
}
