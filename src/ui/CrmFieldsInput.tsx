import { ActionIcon, Button, Group, Input, Stack, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useRef } from 'react';
import type { CrmEntry } from './crmFields.ts';
import { t } from './i18n.ts';

interface CrmFieldsInputProps {
  label: string;
  description?: string | undefined;
  error: string | undefined;
  value: readonly CrmEntry[];
  onChange: (entries: readonly CrmEntry[]) => void;
}

/** Editor for CRM fields: one key and value per line. */
export function CrmFieldsInput({ label, description, error, value, onChange }: CrmFieldsInputProps) {
  const box = useRef<HTMLDivElement>(null);
  const change = (at: number, part: Partial<CrmEntry>) =>
    onChange(value.map((entry, index) => (index === at ? { ...entry, ...part } : entry)));
  const add = () => {
    onChange([...value, { key: '', text: '', stored: null }]);
    requestAnimationFrame(() => {
      const keys = box.current?.querySelectorAll<HTMLInputElement>('input[data-key]');
      keys?.[keys.length - 1]?.focus();
    });
  };
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      description={description ?? t('A value with commas becomes a list, a plain number becomes a number.')}
      error={error}
    >
      <Stack gap="xs" mt="xs" ref={box} role="group" aria-label={label}>
        {value.map((entry, index) => (
          <Group key={index} gap="xs" wrap="nowrap">
            <TextInput
              data-key
              flex={1}
              placeholder={t('Key')}
              aria-label={t('Key {{number}}', { number: index + 1 })}
              value={entry.key}
              onChange={(event) => change(index, { key: event.currentTarget.value })}
            />
            <TextInput
              flex={2}
              placeholder={t('Value')}
              aria-label={t('Value {{number}}', { number: index + 1 })}
              value={entry.text}
              onChange={(event) => change(index, { text: event.currentTarget.value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('Remove {{key}}', { key: entry.key || index + 1 })}
              onClick={() => onChange(value.filter((_, other) => other !== index))}
            >
              <IconX size="1rem" />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button size="xs" variant="default" leftSection={<IconPlus size="1rem" />} onClick={add}>
            {t('Add field')}
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  );
}
