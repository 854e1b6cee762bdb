/** The command palette: pages, guide topics, leads by name or address, companies and products, and recent items. */
import '@mantine/spotlight/styles.layer.css';
import { useDebouncedValue, useHotkeys, useLocalStorage } from '@mantine/hooks';
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight';
import {
  IconAddressBook,
  IconBook,
  IconBuilding,
  IconFile,
  IconHistory,
  IconSearch,
  IconUser,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { choose } from '../companies/pages/productSelection.ts';
import { GUIDE, guideTopics } from '../guide/contract.ts';
import { t } from '../ui/i18n.ts';
import { type PageParams, usePage } from '../ui/page.ts';
import { useScope } from '../ui/scope.ts';
import { pagesByName } from './menu.ts';
import { pages } from './registry.ts';
import { search } from './search.ts';

interface Command {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly icon: ReactNode;
  readonly run: () => void;
}

interface Recent {
  readonly label: string;
  readonly page: string;
  readonly params: PageParams;
}

const SEARCH_DEBOUNCE_MS = 200;
const MAX_RECENT = 6;
/** Limit of guide topics, so that leads stay visible below them. Typing 'guide' shows all topics. */
const MAX_TOPICS = 3;

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

interface CommandsProps {
  /** Id of the list element, for screen readers to find the selected option. */
  list: string;
  typed: string;
  onClose: () => void;
}

function Commands({ list, typed, onClose }: CommandsProps) {
  const page = usePage();
  const { operator, company, product } = useScope();
  const { selected } = useSpotlight(store);
  const [searchText] = useDebouncedValue(typed.trim(), SEARCH_DEBOUNCE_MS);
  const [recent, setRecent] = useLocalStorage<Recent[]>({
    key: 'rapport-recent',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const open = (label: string, to: string, params: PageParams = {}) => {
    const same = (one: Recent) => one.page === to && JSON.stringify(one.params) === JSON.stringify(params);
    setRecent([{ label, page: to, params }, ...recent.filter((one) => !same(one))].slice(0, MAX_RECENT));
    onClose();
    page.go(to, params);
  };
  const results = useQuery({
    queryKey: ['palette', product?.id ?? null, searchText],
    queryFn: ({ signal }) => search(product?.id ?? null, searchText, signal),
    enabled: searchText !== '',
  });

  const matches = (text: string) => text.toLowerCase().includes(typed.trim().toLowerCase());
  const pageCommands = pagesByName(pages, operator.role)
    .filter((one) => matches(t(one.label)))
    .map(
      (one): Command => ({
        id: `page ${one.key}`,
        label: t(one.label),
        icon: <IconFile size="1rem" />,
        run: () => open(t(one.label), one.key),
      }),
    );
  const topics = guideTopics
    .map(({ slug, title }) => ({ slug, label: t('Guide: {{topic}}', { topic: t(title) }) }))
    .filter(({ label }) => typed.trim() !== '' && matches(label));
  const guideCommands = topics.slice(0, /^guide/i.test(typed.trim()) ? topics.length : MAX_TOPICS).map(
    ({ slug, label }): Command => ({
      id: `guide ${slug}`,
      label,
      icon: <IconBook size="1rem" />,
      run: () => {
        onClose();
        window.open(`${GUIDE}${slug}`, '_blank', 'noopener');
      },
    }),
  );
  const leadCommands = (results.data?.leads ?? []).map(
    (one): Command => ({
      id: `lead ${one.id}`,
      label: one.name,
      ...(one.address === null ? {} : { hint: one.address }),
      icon: one.address === null ? <IconUser size="1rem" /> : <IconAddressBook size="1rem" />,
      run: () => open(one.name, 'lead-detail', { leadId: one.id }),
    }),
  );
  const productCommands = (results.data?.products ?? [])
    .filter((one) => one.id !== product?.id)
    .map(
      (one): Command => ({
        id: `product ${one.id}`,
        label: t('Work in {{product}}', { product: one.name }),
        ...(one.company_id === company?.id ? {} : { hint: t('another company') }),
        icon: <IconBuilding size="1rem" />,
        run: () => {
          onClose();
          choose(one.company_id, one.id, () => window.location.assign('/'));
        },
      }),
    );
  const recentCommands = recent
    .filter((one) => typed.trim() === '' || matches(one.label))
    .map(
      (one): Command => ({
        id: `recent ${one.page} ${JSON.stringify(one.params)}`,
        label: one.label,
        icon: <IconHistory size="1rem" />,
        run: () => open(one.label, one.page, one.params),
      }),
    );
  const groups = [
    { name: t('Recent'), commands: recentCommands },
    // Instant results come above searched ones, so that nothing shifts under the selected option.
    { name: t('Pages'), commands: pageCommands },
    { name: t('Guide'), commands: guideCommands },
    { name: t('Leads'), commands: leadCommands },
    { name: t('Company and product'), commands: productCommands },
  ].filter(({ commands }) => commands.length > 0);

  const optionId = (index: number) => `${list}-${index}`;
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
          <Spotlight.Empty>{results.isFetching ? t('Searching...') : t('Nothing found')}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </>
  );
}
