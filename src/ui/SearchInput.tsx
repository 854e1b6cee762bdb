import { CloseButton, Kbd, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { t } from './i18n.ts';
import { useShortcut } from './shortcuts.ts';

interface SearchInputProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  className?: string | undefined;
}

const SEARCH_DEBOUNCE_MS = 250;

/** Search input that searches while typing. `/` focuses it, Esc clears it, then leaves it. Enter leaves it as well. */
export function SearchInput({ value, onChange, label, className }: SearchInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(value);
  const reported = useRef(value);
  const report = (next: string) => {
    reported.current = next;
    onChange(next);
  };
  const reportDebounced = useDebouncedCallback(report, SEARCH_DEBOUNCE_MS);
  useShortcut('/', t('Search'), () => input.current?.select());

  // The address was changed elsewhere: by a link, the back button or 'Clear filters'.
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setTyped(value);
  }, [value]);

  const clear = () => {
    reportDebounced.cancel();
    setTyped('');
    report('');
    input.current?.focus();
  };
  return (
    <TextInput
      ref={input}
      {...(className === undefined ? {} : { className })}
      size="xs"
      type="search"
      placeholder={label}
      aria-label={label}
      maxLength={200}
      leftSection={<IconSearch size="1rem" />}
      rightSection={
        typed === '' ? (
          <Kbd size="xs" data-key-hint>
            /
          </Kbd>
        ) : (
          <CloseButton size="md" aria-label={t('Clear search')} onClick={clear} />
        )
      }
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        reportDebounced(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && typed !== '') {
          event.preventDefault();
          clear();
        } else if (event.key === 'Escape' || (event.key === 'Enter' && !event.nativeEvent.isComposing)) {
          input.current?.blur();
        }
      }}
    />
  );
}
