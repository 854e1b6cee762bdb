/** The command palette: pages, the guide, leads by name or address, companies and products, and what was opened last. */
import '@mantine/spotlight/styles.layer.css';
import { useDebouncedValue, useLocalStorage } from '@mantine/hooks';
import { Spotlight } from '@mantine/spotlight';
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
import { type ReactNode, useState } from 'react';
import { choose } from '../companies/pages/choice.ts';
import { GUIDE, guideTopics } from '../guide/contract.ts';
import { type PageParams, usePage } from '../kit/page.ts';
import { useScope } from '../kit/scope.ts';
import { t } from '../kit/t.ts';
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

const TYPING_MS = 200;
const MOST_RECENT = 6;
/** Of the guide's topics, so that leads do not sink below them; whoever types 'guide' gets all. */
const MOST_TOPICS = 3;

export default function Palette({ onClose }: { onClose: () => void }) {
  const page = usePage();
  const { operator, company, product } = useScope();
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed.trim(), TYPING_MS);
  const [recent, setRecent] = useLocalStorage<Recent[]>({
    key: 'rapport-recent',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const open = (label: string, to: string, params: PageParams = {}) => {
    const same = (one: Recent) => one.page === to && JSON.stringify(one.params) === JSON.stringify(params);
    setRecent([{ label, page: to, params }, ...recent.filter((one) => !same(one))].slice(0, MOST_RECENT));
    onClose();
    page.go(to, params);
  };
  const found = useQuery({
    queryKey: ['palette', product?.id ?? null, asked],
    queryFn: ({ signal }) => search(product?.id ?? null, asked, signal),
    enabled: asked !== '',
  });

  const has = (text: string) => text.toLowerCase().includes(typed.trim().toLowerCase());
  const pageCommands = pagesByName(pages, operator.role)
    .filter((one) => has(t(one.label)))
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
    .filter(({ label }) => typed.trim() !== '' && has(label));
  const guideCommands = topics.slice(0, /^guide/i.test(typed.trim()) ? topics.length : MOST_TOPICS).map(
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
  const leadCommands = (found.data?.leads ?? []).map(
    (one): Command => ({
      id: `lead ${one.id}`,
      label: one.name,
      ...(one.address === null ? {} : { hint: one.address }),
      icon: one.address === null ? <IconUser size="1rem" /> : <IconAddressBook size="1rem" />,
      run: () => open(one.name, 'lead-detail', { leadId: one.id }),
    }),
  );
  const productCommands = (found.data?.products ?? [])
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
    .filter((one) => typed.trim() === '' || has(one.label))
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
    // What is known at once stands above what is looked up, so that nothing moves under the marked line.
    { name: t('Pages'), commands: pageCommands },
    { name: t('Guide'), commands: guideCommands },
    { name: t('Leads'), commands: leadCommands },
    { name: t('Company and product'), commands: productCommands },
  ].filter(({ commands }) => commands.length > 0);

  return (
    <Spotlight.Root
      forceOpened
      shortcut={null}
      query={typed}
      onQueryChange={setTyped}
      onSpotlightClose={onClose}
      scrollable
      attributes={{ content: { 'aria-label': t('Go to') } }}
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      maxHeight="60vh"
    >
      <Spotlight.Search
        aria-label={t('Go to')}
        placeholder={t('A page, a lead, an address, a product')}
        leftSection={<IconSearch size="1rem" />}
      />
      <Spotlight.ActionsList>
        {groups.map(({ name, commands }) => (
          <Spotlight.ActionsGroup key={name} label={name}>
            {commands.map((command) => (
              <Spotlight.Action
                key={command.id}
                label={command.label}
                {...(command.hint === undefined ? {} : { description: command.hint })}
                leftSection={command.icon}
                closeSpotlightOnTrigger={false}
                onClick={command.run}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && (
          <Spotlight.Empty>{found.isFetching ? t('Searching...') : t('Nothing found')}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
