/** The command palette: pages, guide topics, leads by name or address, companies and products, and recent items. */
import '@mantine/spotlight/styles.layer.css';
import { useHotkeys } from '@mantine/hooks';
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useId, useState } from 'react';
import { t } from '../ui/i18n.ts';
import { useCommands } from './useCommands.tsx';

const [store, palette] = createSpotlight();

/**
 * Opens on first render, then by its own Ctrl+K, which also closes it. It stays mounted so that it can restore the
 * focus.
 */
export default function Palette() {
  const [typed, setTyped] = useState('');
  const list = useId();
  useEffect(() => {
    palette.open();
    return palette.close;
  }, []);
  useHotkeys([['mod+K', palette.toggle]], [], true);
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={typed}
      onQueryChange={setTyped}
      scrollable
      attributes={{ content: { 'aria-label': t('Go to') } }}
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      transitionProps={{ duration: 100 }}
      maxHeight="60vh"
    >
      <Commands list={list} typed={typed} onClose={palette.close} />
    </Spotlight.Root>
  );
}

/**
 * Mark the first option if none is, for Enter to open it. Spotlight does that while the operator types, when what is
 * searched has not been found yet.
 */
function markFirst(list: string): void {
  const options = document.getElementById(list);
  if (!options || options.querySelector('[data-selected]')) return;
  options.querySelector('[data-action]')?.setAttribute('data-selected', 'true');
  store.setState({ ...store.getState(), selected: 0 });
}

interface CommandsProps {
  /** Id of the list element, for screen readers to find the selected option. */
  list: string;
  typed: string;
  onClose: () => void;
}

function Commands({ list, typed, onClose }: CommandsProps) {
  const { selected } = useSpotlight(store);
  const { groups, isSearching } = useCommands(typed, onClose);
  const optionId = (index: number) => `${list}-${index}`;
  const ids = groups.flatMap(({ commands }) => commands.map(({ id }) => id)).join(' ');
  useEffect(() => {
    if (typed.trim() !== '' && ids !== '') markFirst(list);
  }, [list, typed, ids]);
  let count = 0;

  return (
    <>
      <Spotlight.Search
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-autocomplete="list"
        {...(selected >= 0 ? { 'aria-activedescendant': optionId(selected) } : {})}
        aria-label={t('Go to')}
        placeholder={t('A page, a lead, an address, a product')}
        leftSection={<IconSearch size="1rem" />}
      />
      <Spotlight.ActionsList id={list} role="listbox" aria-label={t('Go to')}>
        {groups.map(({ name, commands }) => (
          <Spotlight.ActionsGroup key={name} label={name} role="group" aria-label={name}>
            {commands.map((command) => {
              const index = count++;
              return (
                <Spotlight.Action
                  key={command.id}
                  role="option"
                  aria-selected={index === selected}
                  // Spotlight.Action consumes the id without passing it to its element.
                  renderRoot={(props) => <button type="button" {...props} id={optionId(index)} />}
                  label={command.label}
                  {...(command.hint === undefined ? {} : { description: command.hint })}
                  leftSection={command.icon}
                  closeSpotlightOnTrigger={false}
                  onClick={command.run}
                />
              );
            })}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && (
          <Spotlight.Empty>{isSearching ? t('Searching...') : t('Nothing found')}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </>
  );
}
