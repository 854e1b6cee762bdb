/** The product's other dialogues, newest activity first, to switch between them without leaving the page. */
import { Button, Skeleton, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertCircle, IconSearch } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { call } from '../../../ui/api.ts';
import { useNow } from '../../../ui/clock.ts';
import { Failure } from '../../../ui/Failure.tsx';
import { Filters } from '../../../ui/Filters.tsx';
import { isActive } from '../../../ui/filter.ts';
import { formatRelative } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { type ListState, listQuery } from '../../../ui/listState.ts';
import { isPlainClick } from '../../../ui/PageLink.tsx';
import { PlainText } from '../../../ui/PlainText.tsx';
import { hrefOf, usePage } from '../../../ui/page.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { useProductZone, useScope } from '../../../ui/scope.ts';
import { useShortcut } from '../../../ui/shortcuts.ts';
import { toast } from '../../../ui/toast.ts';
import { type Dialogue, dialogues } from '../../contract.ts';
import { dialogueFilters, listParamsIn, listStateIn, toListParams } from '../dialogueFilters.ts';
import { OwnerIcon, ownerLabelInList } from '../owner.tsx';
import { findNextWaiting } from '../shared/nextWaiting.ts';
import { SearchSnippet } from '../shared/SearchSnippet.tsx';
import { MessageStatusIcon } from '../shared/status.tsx';
import classes from './chat.module.css';

/** How many rows the column shows at once, unless a page of the list has more. */
const MIN_ROWS = 50;
const SEARCH_DEBOUNCE_MS = 200;

interface DialogueColumnProps {
  productId: number;
  chosen: number;
  /** Whether the column is the whole page and shows every filter. */
  isFullPage?: boolean;
  /** Opens a dialogue, and keeps its list in the URL. */
  onChoose: (dialogue: Dialogue, list: Record<string, string | undefined>) => void;
}

export function DialogueColumn({ productId, chosen, isFullPage = false, onChoose }: DialogueColumnProps) {
  const list = useDialogueChunk(productId, { chosen, onChoose });
  const { query, items, listState, chunk, setChunk } = list;
  const { operator } = useScope();
  const goToNextWaiting = async () => {
    try {
      const next = await findNextWaiting(operator.id, { product_id: productId, chosen });
      if (next) list.choose(next);
      else toast.info(t('No other dialogue is waiting for a human.'));
    } catch (error) {
      toast.failure(error);
    }
  };
  const input = useRef<HTMLInputElement>(null);
  useShortcut('/', t('Search'), () => input.current?.focus());
  useShortcut('j', t('Next dialogue'), () => void list.step(1).catch(toast.failure));
  useShortcut('k', t('Previous dialogue'), () => void list.step(-1).catch(toast.failure));
  useShortcut('n', t('Next lead waiting for a person, longest wait first'), () => void goToNextWaiting());
  const active = dialogueFilters().filter((filter) => isFullPage || isActive(filter, listState.filters));
  return (
    <nav className={classes.list} data-whole={isFullPage || undefined} aria-label={t('Dialogues')}>
      <TextInput
        ref={input}
        className={classes.listSearch}
        type="search"
        aria-label={t('Search dialogues')}
        placeholder={t('Search dialogues')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={list.typed}
        onChange={(event) => list.setTyped(event.currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === 'Escape' || key === 'Enter') input.current?.blur();
        }}
      />
      {active.length > 0 && (
        <div className={classes.listFilters}>
          <Filters filters={active} values={listState.filters} onChange={(filters) => list.applyFilters({ filters })} />
        </div>
      )}
      <div className={classes.listRows}>
        {query.isPending && <LoadingRows />}
        {query.isError && !query.data && <Failure error={query.error} onRetry={() => void query.refetch()} />}
        {query.data && items.length === 0 && (
          <Text size="sm" c="dimmed" p="xs">
            {t('No {{entity}} found', { entity: t('dialogues') })}
          </Text>
        )}
        {chunk > 0 && (
          <Button variant="subtle" size="compact-sm" m="xs" onClick={() => setChunk(chunk - 1)}>
            {t('Show previous')}
          </Button>
        )}
        {items.map((dialogue) => (
          <DialogueRow
            key={dialogue.id}
            dialogue={dialogue}
            chosen={dialogue.id === chosen}
            list={toListParams(listState)}
            onChoose={list.choose}
          />
        ))}
        {items.length === list.size && (
          <Button variant="subtle" size="compact-sm" m="xs" onClick={() => setChunk(chunk + 1)}>
            {t('Show more')}
          </Button>
        )}
      </div>
    </nav>
  );
}

/** The part of the list that the column shows, with its filters and search; `step` moves to a neighbour. */
function useDialogueChunk(productId: number, { chosen, onChoose }: Pick<DialogueColumnProps, 'chosen' | 'onChoose'>) {
  const { params, setParams } = usePage();
  const zone = useProductZone();
  const list = listStateIn(params);
  const [typed, setTyped] = useState(list.search);
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DEBOUNCE_MS);
  const listState = { ...list, search };
  const size = Math.max(MIN_ROWS, list.size);
  const [chunk, setChunk] = useState(Math.floor((list.page * list.size) / size));
  const queryOf = (at: number) => ({
    ...listQuery({ ...listState, page: at, size }, zone),
    product_id: [productId],
    with_total: false,
  });
  const query = useEndpoint(dialogues.list, { query: queryOf(chunk) }, { keepPrevious: true });
  const items = query.data?.items ?? [];
  const at = items.findIndex((item) => item.id === chosen);
  // When the open dialogue no longer matches the filter, the next one takes its index.
  const [lastIndex, setLastIndex] = useState(-1);
  if (at !== -1 && at !== lastIndex) setLastIndex(at);
  const choose = (dialogue: Dialogue, inChunk = chunk) =>
    // The page of the list that begins where this part of it does.
    onChoose(dialogue, toListParams({ ...listState, page: Math.floor((inChunk * size) / list.size) }));
  return {
    listState,
    typed,
    query,
    items,
    size,
    chunk,
    setChunk,
    choose: (dialogue: Dialogue) => choose(dialogue),
    setTyped: (text: string) => {
      setTyped(text);
      setChunk(0);
    },
    applyFilters: (changed: Partial<ListState>) => {
      setChunk(0);
      setParams({ ...listParamsIn(params), ...toListParams({ ...listState, ...changed, page: 0 }) });
    },
    step: async (by: 1 | -1) => {
      const next = items[at === -1 && by === 1 ? Math.max(lastIndex, 0) : (at === -1 ? lastIndex : at) + by];
      if (next) return choose(next);
      if (by === 1 ? items.length < size : chunk === 0) return;
      const { items: nextPage } = await call(dialogues.list, { query: queryOf(chunk + by) });
      const neighbour = by === 1 ? nextPage[0] : nextPage.at(-1);
      if (!neighbour) return;
      setChunk(chunk + by);
      choose(neighbour, chunk + by);
    },
  };
}

function LoadingRows() {
  return (
    <Stack gap="xs" p="xs" aria-busy>
      <Text size="xs" c="dimmed" role="status">
        {t('Loading {{entity}}...', { entity: t('dialogues') })}
      </Text>
      {['a', 'b', 'c', 'd', 'e'].map((key) => (
        <Skeleton key={key} height={44} />
      ))}
    </Stack>
  );
}

/** Whether the lead wrote last, so that a reply is due. */
const needsReply = (dialogue: Dialogue): boolean => (dialogue.last_user_msg_id ?? 0) > (dialogue.last_bot_msg_id ?? 0);

interface DialogueRowProps {
  dialogue: Dialogue;
  chosen: boolean;
  /** The list that contains the dialogue, for its URL. */
  list: Record<string, string | undefined>;
  onChoose: (dialogue: Dialogue) => void;
}

function DialogueRow({ dialogue, chosen, list, onChoose }: DialogueRowProps) {
  useNow();
  const { lead_name: name, last_msg_created_at: last, no_answer: noAnswer } = dialogue;
  const isOpen = needsReply(dialogue);
  return (
    <UnstyledButton
      component="a"
      href={hrefOf('dialogue-chat', { ...list, dialogueId: dialogue.id, dialogueName: name })}
      className={`${classes.listRow} ${chosen ? classes.listChosen : ''}`}
      aria-current={chosen ? 'page' : undefined}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        onChoose(dialogue);
      }}
    >
      <span className={classes.listLine}>
        <Text span size="sm" fw={isOpen ? 600 : 500} truncate>
          {name}
        </Text>
        <Text span size="xs" c="dimmed" className={classes.fixed}>
          {last === null ? '' : formatRelative(last)}
        </Text>
      </span>
      <span className={classes.listLine}>
        <Text span size="xs" c={isOpen ? 'var(--mantine-color-text)' : 'dimmed'} truncate>
          {dialogue.found ? (
            <SearchSnippet text={dialogue.found} search={list.search ?? ''} />
          ) : dialogue.last_message === null ? (
            t('No messages yet')
          ) : (
            <PlainText text={dialogue.last_message} />
          )}
        </Text>
        <span className={classes.fixed}>
          {dialogue.last_message_trouble !== null && <MessageStatusIcon status={dialogue.last_message_trouble} />}
          {noAnswer !== null && (
            <IconAlertCircle size={14} role="img" aria-label={noAnswer} color="var(--mantine-color-error)" />
          )}
          <OwnerIcon owner={dialogue.owner} size={14} label={ownerLabelInList(dialogue)} />
        </span>
      </span>
    </UnstyledButton>
  );
}
