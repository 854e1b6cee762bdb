/** The input of one filter, loaded when it is first opened. */
import { Button, Checkbox, Group, Radio, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { zoneTimeName } from '../platform/zones.ts';
import { FieldConditions } from './FieldConditions.tsx';
import { type Choice, chosenOption, dayParamNames, dayPresets, type Filter, mergeFilterValues } from './filter.ts';
import { today } from './format.ts';
import { t } from './i18n.ts';
import type { ListState } from './listState.ts';
import { ReferenceSelect } from './ReferenceSelect.tsx';
import { useProductZone } from './scope.ts';

export interface FilterInputProps {
  filter: Filter;
  values: ListState['filters'];
  onChange: (values: ListState['filters']) => void;
}

export function FilterInput({ filter, values, onChange }: FilterInputProps) {
  switch (filter.kind) {
    case 'options':
      return (
        <Checkbox.Group
          label={filter.label}
          value={[...(values[filter.name] ?? [])]}
          onChange={(chosen) => onChange(mergeFilterValues(values, { [filter.name]: chosen }))}
        >
          <ScrollArea.Autosize mah="16rem">
            <Stack gap="xs" mt="xs">
              {filter.options.map((option) => (
                <Checkbox key={option.value} size="xs" value={option.value} label={option.label} />
              ))}
            </Stack>
          </ScrollArea.Autosize>
        </Checkbox.Group>
      );
    case 'source':
      return (
        <ReferenceSelect
          label={filter.label}
          source={filter.source}
          value={values[filter.name]?.[0] ?? ''}
          onChange={(id) => onChange(mergeFilterValues(values, { [filter.name]: id === '' ? [] : [id] }))}
          comboboxProps={{ withinPortal: false }}
          data-autofocus
        />
      );
    case 'choice':
      return <ChoiceInput filter={filter} values={values} onChange={onChange} />;
    case 'text':
      return (
        <TypedValue
          label={filter.label}
          digits={filter.digits === true}
          value={values[filter.name]?.[0] ?? ''}
          onChange={(typed) => onChange(mergeFilterValues(values, { [filter.name]: typed === '' ? [] : [typed] }))}
        />
      );
    case 'days':
      return <Days name={filter.name} values={values} onChange={onChange} />;
    case 'fields':
      return (
        <FieldConditions
          fields={filter.fields}
          values={values[filter.name] ?? []}
          onChange={(conditions) => onChange(mergeFilterValues(values, { [filter.name]: conditions }))}
        />
      );
    default:
      return filter satisfies never;
  }
}

/** Return the values of all of a filter's parameters with those of an option. */
const choose = (names: readonly string[], { values }: Choice): ListState['filters'] =>
  Object.fromEntries(names.map((name) => [name, values[name] ?? []]));

function ChoiceInput({
  filter,
  values,
  onChange,
}: Omit<FilterInputProps, 'filter'> & { filter: Extract<Filter, { kind: 'choice' }> }) {
  const chosen = chosenOption(filter, values);
  return (
    <Radio.Group
      label={filter.label}
      value={chosen === undefined ? null : String(filter.options.indexOf(chosen))}
      onChange={(index) => {
        const option = filter.options[Number(index)];
        if (option) onChange(mergeFilterValues(values, choose(filter.names, option)));
      }}
    >
      <ScrollArea.Autosize mah="16rem">
        <Stack gap="xs" mt="xs">
          {filter.options.map((option, index) => (
            <Radio key={JSON.stringify(option.values)} size="xs" value={String(index)} label={option.label} />
          ))}
        </Stack>
      </ScrollArea.Autosize>
    </Radio.Group>
  );
}

function Days({ name, values, onChange }: { name: string } & Pick<FilterInputProps, 'values' | 'onChange'>) {
  const zone = useProductZone();
  const [first, last] = dayParamNames(name);
  const day = (value: string) => (value === '' ? [] : [value]);
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {dayPresets(today(zone)).map(({ label, from, to }) => (
          <Button
            key={label}
            size="compact-xs"
            variant={values[first]?.[0] === from && values[last]?.[0] === to ? 'filled' : 'default'}
            onClick={() => onChange(mergeFilterValues(values, { [first]: [from], [last]: [to] }))}
          >
            {label}
          </Button>
        ))}
      </Group>
      {[first, last].map((param) => (
        <TextInput
          key={param}
          type="date"
          size="xs"
          label={param === first ? t('From') : t('To')}
          value={values[param]?.[0] ?? ''}
          onChange={(event) => onChange(mergeFilterValues(values, { [param]: day(event.currentTarget.value) }))}
        />
      ))}
      <Text size="xs" c="dimmed">
        {t('Days in {{zone}}', { zone: zoneTimeName(zone) })}
      </Text>
    </Stack>
  );
}

interface TypedValueProps {
  label: string;
  digits: boolean;
  value: string;
  onChange: (typed: string) => void;
}

/** Text input that applies on Enter or on blur, because applying on every key would load a list each time. */
function TypedValue({ label, digits, value, onChange }: TypedValueProps) {
  const [typed, setTyped] = useState(value);
  // Several values are separated by commas, so they are removed.
  const clean = typed.trim().replaceAll(digits ? /\D/g : /,/g, '');
  const apply = () => {
    if (clean !== value) onChange(clean);
  };
  return (
    <TextInput
      size="xs"
      label={label}
      value={typed}
      {...(digits ? { inputMode: 'numeric' as const } : {})}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={apply}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply();
      }}
      data-autofocus
    />
  );
}
