/** The commands of the palette: recent items and pages at once; leads, companies and products by search. */
import { useDebouncedValue, useLocalStorage } from '@mantine/hooks';
import { IconAddressBook, IconBook, IconBuilding, IconFile, IconHistory, IconUser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { OperatorSelf } from '../access/contract.ts';
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

type Open = (label: string, page: string, params?: PageParams) => void;

export function useCommands(typed: string, onClose: () => void) {
  const { operator, company, product } = useScope();
  const { recent, open } = useRecent(onClose);
  const text = typed.trim();
  const [searchText] = useDebouncedValue(text, SEARCH_DEBOUNCE_MS);
  const results = useQuery({
    queryKey: ['palette', product?.id ?? null, searchText],
    queryFn: ({ signal }) => search(product?.id ?? null, searchText, signal),
    enabled: searchText !== '',
  });
  const leads = (results.data?.leads ?? []).map(
    ({ id, name, address }): Command => ({
      id: `lead ${id}`,
      label: name,
      ...(address === null ? {} : { hint: address }),
      icon: address === null ? <IconUser size="1rem" /> : <IconAddressBook size="1rem" />,
      run: () => open(name, 'lead-detail', { leadId: id }),
    }),
  );
  const products = (results.data?.products ?? [])
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
  const groups = [
    { name: t('Recent'), commands: recentCommands(recent, text, open) },
    // Instant results come above searched ones, so that nothing shifts under the selected option.
    { name: t('Pages'), commands: pageCommands(operator.role, text, open) },
    { name: t('Guide'), commands: guideCommands(text, onClose) },
    { name: t('Leads'), commands: leads },
    { name: t('Company and product'), commands: products },
  ].filter(({ commands }) => commands.length > 0);
  return { groups, isSearching: results.isFetching };
}

/** The pages opened last, and the function that opens one and remembers it. */
function useRecent(onClose: () => void): { recent: readonly Recent[]; open: Open } {
  const page = usePage();
  const [recent, setRecent] = useLocalStorage<Recent[]>({
    key: 'rapport-recent',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  return {
    recent,
    open: (label, to, params = {}) => {
      const same = (one: Recent) => one.page === to && JSON.stringify(one.params) === JSON.stringify(params);
      setRecent([{ label, page: to, params }, ...recent.filter((one) => !same(one))].slice(0, MAX_RECENT));
      onClose();
      page.go(to, params);
    },
  };
}

const matches = (label: string, text: string) => label.toLowerCase().includes(text.toLowerCase());

function recentCommands(recent: readonly Recent[], text: string, open: Open): Command[] {
  return recent
    .filter(({ label }) => matches(label, text))
    .map(({ label, page, params }) => ({
      id: `recent ${page} ${JSON.stringify(params)}`,
      label,
      icon: <IconHistory size="1rem" />,
      run: () => open(label, page, params),
    }));
}

function pageCommands(role: OperatorSelf['role'], text: string, open: Open): Command[] {
  return pagesByName(pages, role)
    .map(({ key, label }) => ({ key, label: t(label) }))
    .filter(({ label }) => matches(label, text))
    .map(({ key, label }) => ({
      id: `page ${key}`,
      label,
      icon: <IconFile size="1rem" />,
      run: () => open(label, key),
    }));
}

function guideCommands(text: string, onClose: () => void): Command[] {
  if (text === '') return [];
  return guideTopics
    .map(({ slug, title }) => ({ slug, label: t('Guide: {{topic}}', { topic: t(title) }) }))
    .filter(({ label }) => matches(label, text))
    .slice(0, /^guide/i.test(text) ? guideTopics.length : MAX_TOPICS)
    .map(({ slug, label }) => ({
      id: `guide ${slug}`,
      label,
      icon: <IconBook size="1rem" />,
      run: () => {
        onClose();
        window.open(`${GUIDE}${slug}`, '_blank', 'noopener');
      },
    }));
}
