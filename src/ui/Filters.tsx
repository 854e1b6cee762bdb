/** Filters as chips. A chip opens its input, shows the chosen values and is cleared with its cross. */
import { Button, CloseButton, Popover } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { FilterInput, FilterInputProps } from './FilterInput.tsx';
import classes from './Filters.module.css';
import {
  chosenOption,
  dayParamNames,
  type Filter,
  filterParamNames,
  formatDayRange,
  isActive,
  mergeFilterValues,
  readFieldCondition,
} from './filter.ts';
import { t } from './i18n.ts';
import type { ListState } from './listState.ts';
import { ReferenceName } from './ReferenceName.tsx';
import { useProductZone } from './scope.ts';
import { toast } from './toast.ts';

interface FiltersProps {
  filters: readonly Filter[];
  values: ListState['filters'];
  onChange: (values: ListState['filters']) => void;
}

export function Filters({ filters, values, onChange }: FiltersProps) {
  const [showsAll, setShowsAll] = useState(false);
  const active = filters.filter((filter) => isActive(filter, values)).length;
  const visible = filters.filter((filter) => showsAll || !filter.more || isActive(filter, values));
  return (
    <>
      {visible.map((filter) => (
        <FilterChip key={filterParamNames(filter).join()} filter={filter} values={values} onChange={onChange} />
      ))}
      {(showsAll || visible.length < filters.length) && (
        <Button size="xs" variant="subtle" color="gray" onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? t('Fewer filters') : t('More filters')}
        </Button>
      )}
      {active > 1 && (
        <Button size="xs" variant="subtle" color="gray" onClick={() => onChange({})}>
          {t('Clear all')}
        </Button>
      )}
    </>
  );
}

function FilterChip({ filter, values, onChange }: FilterInputProps) {
  // Loaded when first opened, and opened once it is there: the popover moves the focus into it.
  const [Input, setInput] = useState<typeof FilterInput | null>(null);
  const [opened, setOpened] = useState(false);
  const active = isActive(filter, values);
  const clear = () =>
    onChange(mergeFilterValues(values, Object.fromEntries(filterParamNames(filter).map((name) => [name, []]))));
  const open = async () => {
    try {
      const loaded = await import('./FilterInput.tsx');
      setInput(() => loaded.FilterInput);
      setOpened(true);
    } catch (error) {
      toast.failure(error);
    }
  };
  return (
    <div className={classes.chip} data-active={active || undefined}>
      <Popover position="bottom-start" trapFocus opened={opened} onChange={setOpened}>
        <Popover.Target>
          <Button
            size="xs"
            variant="transparent"
            className={classes.name}
            onClick={() => (opened ? setOpened(false) : void open())}
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
        <Popover.Dropdown>{Input && <Input filter={filter} values={values} onChange={onChange} />}</Popover.Dropdown>
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
    case 'choice':
      return chosenOption(filter, values)?.label ?? filter.names.flatMap((name) => values[name] ?? []).join(', ');
    case 'text':
      return (values[filter.name] ?? []).join(', ');
    case 'days': {
      const [from, to] = dayParamNames(filter.name);
      return <SelectedDays from={values[from]?.[0]} to={values[to]?.[0]} />;
    }
    case 'fields':
      return (values[filter.name] ?? [])
        .map(readFieldCondition)
        .flatMap((one) => (one ? `${one.field} ${one.contains ? t('contains') : '='} ${one.value}` : []))
        .join(', ');
    default:
      return filter satisfies never;
  }
}

function SelectedDays({ from, to }: { from: string | undefined; to: string | undefined }) {
  return formatDayRange(from, to, useProductZone());
}
