/** The product's rules that give tags to new leads, at each import from a file or the CRM. */
import { ActionIcon, Autocomplete, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { products } from '../../../products/contract.ts';
import { ruleFields, type TagRule, tagRules } from '../../../products/tagContract.ts';
import { call } from '../../../ui/api.ts';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import { keyOf, queryClient, setCachedAnswer, useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { toast } from '../../../ui/toast.ts';

const NEW_RULE: TagRule = { field: '', operator: 'equals', value: '', tag: '' };

/** @param fields names of CRM fields to offer */
export function TagRules({ fields }: { fields: readonly string[] }) {
  const { product } = useScope();
  const stored = useEndpoint(products.get, { params: { id: product?.id ?? 0 } }, { enabled: product !== null });
  const [edited, setEdited] = useState<readonly TagRule[] | null>(null);
  const rules = edited ?? stored.data?.tag_rules ?? [];
  const saving = useMutation({
    mutationFn: () => call(products.change, { params: { id: product?.id ?? 0 }, body: { tag_rules: [...rules] } }),
    onSuccess: (saved) => {
      setCachedAnswer(queryClient, keyOf(products.get, { params: { id: saved.id } }), saved);
      setEdited(null);
      toast.success(t('Rules saved'));
    },
  });
  const change = (index: number, part: Partial<TagRule>) =>
    setEdited(rules.map((rule, at) => (at === index ? { ...rule, ...part } : rule)));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {t('Tag rules')}
      </Text>
      <Text size="xs" c="dimmed">
        {t('New leads get these tags at each import, from a file or from the CRM.')}
      </Text>
      {rules.map((rule, index) => (
        <RuleRow
          key={index}
          rule={rule}
          number={index + 1}
          fields={fields}
          onChange={(part) => change(index, part)}
          onRemove={() => setEdited(rules.filter((_rule, at) => at !== index))}
        />
      ))}
      {saving.error && <Failure error={saving.error} />}
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size="1rem" />}
          disabled={stored.data === undefined}
          onClick={() => setEdited([...rules, NEW_RULE])}
        >
          {t('Add a rule')}
        </Button>
        {edited !== null && (
          <Button
            size="xs"
            loading={saving.isPending}
            disabled={!tagRules.safeParse(rules).success}
            onClick={() => saving.mutate()}
          >
            {t('Save rules')}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

interface RuleRowProps {
  rule: TagRule;
  number: number;
  fields: readonly string[];
  onChange: (part: Partial<TagRule>) => void;
  onRemove: () => void;
}

function RuleRow({ rule, number, fields, onChange, onRemove }: RuleRowProps) {
  const named = (what: string) => t('{{what}} of rule {{number}}', { what, number });
  return (
    <Group gap="xs" wrap="wrap">
      <Autocomplete
        size="xs"
        aria-label={named(t('Field'))}
        placeholder={t('Field')}
        data={[...new Set([...fields, ...ruleFields])]}
        value={rule.field}
        onChange={(field) => onChange({ field })}
      />
      <NativeSelect
        size="xs"
        aria-label={named(t('Condition'))}
        data={[
          { value: 'equals', label: t('is') },
          { value: 'contains', label: t('contains') },
        ]}
        value={rule.operator}
        onChange={(event) => onChange({ operator: event.currentTarget.value === 'contains' ? 'contains' : 'equals' })}
      />
      <TextInput
        size="xs"
        aria-label={named(t('Value'))}
        placeholder={t('Value')}
        value={rule.value}
        onChange={(event) => onChange({ value: event.currentTarget.value })}
      />
      <Text size="xs">{t('adds tag')}</Text>
      <TextInput
        size="xs"
        aria-label={named(t('Tag'))}
        placeholder={t('Tag')}
        value={rule.tag}
        onChange={(event) => onChange({ tag: event.currentTarget.value })}
      />
      <ActionIcon variant="subtle" color="gray" aria-label={t('Remove rule {{number}}', { number })} onClick={onRemove}>
        <IconTrash size="1rem" />
      </ActionIcon>
    </Group>
  );
}
