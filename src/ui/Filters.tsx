/** Filters as chips. A chip opens its input, shows the chosen values and is cleared with its cross. */
import { Button, Checkbox, CloseButton, Group, Popover, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import classes from './Filters.module.css';
import { dayPresets, type Filter, filterParamNames, formatDayRange, isActive, mergeFilterValues } from './filter.ts';
import { today } from './format.ts';
import { t } from './i18n.ts';
import type { ListState } from './listState.ts';
import { ReferenceName, ReferenceSelect } from './ReferenceSelect.tsx';
import { useProductZone } from './scope.ts';
import { zoneTimeName } from './timeZones.ts';

interface FiltersProps {
  filters: readonly Filter[];
  values: ListState['filters'];
  onChange: (values: ListState['filters']) => void;
}

export function Filters({ filters, values, onChange }: FiltersProps) {
  const active = filters.filter((filter) => isActive(filter, values)).length;
  return (
    <>
      {filters.map((filter) => (
        <FilterChip key={filterParamNames(filter).join()} filter={filter} values={values} onChange={onChange} />
      ))}
      {active > 1 && (
        <Button size="xs" variant="subtle" color="gray" onClick={() => onChange({})}>
          {t('Clear all')}
        </Button>
      )}
    </>
  );
}

interface FilterChipProps {
  filter: Filter;
  values: ListState['filters'];
  onChange: (values: ListState['filters']) => void;
}

function FilterChip({ filter, values, onChange }: FilterChipProps) {
  const active = isActive(filter, values);
  const clear = () =>
    onChange(mergeFilterValues(values, Object.fromEntries(filterParamNames(filter).map((name) => [name, []]))));
  return (
    <div className={classes.chip} data-active={active || undefined}>
      <Popover position="bottom-start" trapFocus>
        <Popover.Target>
          <Button
            size="xs"
            variant="transparent"
            className={classes.name}
            leftSection={active ? null : <IconPlus size="0.9rem" />}
          >
            <span className={classes.text}>
              {filter.label}
              {active && (
                <>
                  {': '}
                  <SelectedText filter={filter} values={values} />
                </>
              )}
            </span>
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <FilterInput filter={filter} values={values} onChange={onChange} />
        </Popover.Dropdown>
      </Popover>
      {active && (
        <CloseButton size="md" aria-label={t('Remove filter {{name}}', { name: filter.label })} onClick={clear} />
      )}
    </div>
  );
}

/** The chosen values as text. */
function SelectedText({ filter, values }: { filter: Filter; values: ListState['filters'] }): ReactNode {
  switch (filter.kind) {
    case 'options': {
      const chosen = values[filter.name] ?? [];
      const labels = chosen.map((value) => filter.options.find((option) => option.value === value)?.label ?? value);
      return labels.join(', ');
    }
    case 'source':
      return (values[filter.name] ?? []).map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <ReferenceName source={filter.source} id={Number(id)} />
        </span>
      ));
    case 'text':
      return (values[filter.name] ?? []).join(', ');
    case 'created':
      return <SelectedDays from={values.created_from?.[0]} to={values.created_to?.[0]} />;
    default:
      return filter satisfies never;
  }
}

function FilterInput({ filter, values, onChange }: FilterChipProps) {
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
    case 'text':
      return (
        <TypedValue
          label={filter.label}
          digits={filter.digits === true}
          value={values[filter.name]?.[0] ?? ''}
          onChange={(typed) => onChange(mergeFilterValues(values, { [filter.name]: typed === '' ? [] : [typed] }))}
        />
      );
    case 'created':
      return <Days values={values} onChange={onChange} />;
    default:
      return filter satisfies never;
  }
}

function SelectedDays({ from, to }: { from: string | undefined; to: string | undefined }) {
  return formatDayRange(from, to, useProductZone());
}

function Days({ values, onChange }: Pick<FilterChipProps, 'values' | 'onChange'>) {
  const zone = useProductZone();
  const day = (value: string) => (value === '' ? [] : [value]);
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {dayPresets(today(zone)).map(({ label, from, to }) => (
          <Button
            key={label}
            size="compact-xs"
            variant={values.created_from?.[0] === from && values.created_to?.[0] === to ? 'filled' : 'default'}
            onClick={() => onChange(mergeFilterValues(values, { created_from: [from], created_to: [to] }))}
          >
            {label}
          </Button>
        ))}
      </Group>
      {(['created_from', 'created_to'] as const).map((name) => (
        <TextInput
          key={name}
          type="date"
          size="xs"
          label={name === 'created_from' ? t('From') : t('To')}
          value={values[name]?.[0] ?? ''}
          onChange={(event) => onChange(mergeFilterValues(values, { [name]: day(event.currentTarget.value) }))}
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
  // Commas separate values in the address, so they are removed.
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
