/** The product's other dialogues, those that talked last first: to go from one to the next without leaving the page. */
import { Button, Skeleton, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertCircle, IconSearch } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { call } from '../../../kit/api.ts';
import { Failure } from '../../../kit/Failure.tsx';
import { Filters } from '../../../kit/Filters.tsx';
import { isActive } from '../../../kit/filter.ts';
import { formatRelative } from '../../../kit/format.ts';
import { useShortcut } from '../../../kit/keys.ts';
import { type ListState, listQuery } from '../../../kit/listState.ts';
import { useNow } from '../../../kit/now.ts';
import { opensHere } from '../../../kit/PageLink.tsx';
import { PlainText } from '../../../kit/PlainText.tsx';
import { hrefOf, usePage } from '../../../kit/page.ts';
import { useEndpoint } from '../../../kit/query.ts';
import { useProductZone } from '../../../kit/scope.ts';
import { t } from '../../../kit/t.ts';
import { toast } from '../../../kit/toast.ts';
import { type Dialogue, dialogues } from '../../contract.ts';
import { FoundWords } from '../FoundWords.tsx';
import { dialogueFilters, listIn, narrowingIn, paramsOf } from '../narrowing.ts';
import { listedOwnerWords, OwnerIcon } from '../owner.tsx';
import { MessageStatusIcon } from '../status.tsx';
import classes from './chat.module.css';

/** So many stand in the column at once, unless a page of the list has more. */
const LEAST = 50;
const SEARCH_AFTER_MS = 200;

interface DialogueColumnProps {
  productId: number;
  chosen: number;
  /** It is the whole page: every filter is at hand. */
  whole?: boolean;
  /** Goes to a dialogue, and keeps the address at the list that it stands in. */
  onChoose: (dialogue: Dialogue, list: Record<string, string | undefined>) => void;
}

export function DialogueColumn({ productId, chosen, whole = false, onChoose }: DialogueColumnProps) {
  const { params, setParams } = usePage();
  const zone = useProductZone();
  const list = listIn(params);
  const [typed, setTyped] = useState(list.search);
  const [search] = useDebouncedValue(typed.trim(), SEARCH_AFTER_MS);
  const asked = { ...list, search };
  const size = Math.max(LEAST, list.size);
  const [chunk, setChunk] = useState(Math.floor((list.page * list.size) / size));
  const queryOf = (at: number) => ({
    ...listQuery({ ...asked, page: at, size }, zone),
    product_id: [productId],
    with_total: false,
  });
  const read = useEndpoint(dialogues.list, { query: queryOf(chunk) }, { keepPrevious: true });
  const items = read.data?.items ?? [];
  const choose = (dialogue: Dialogue, at = chunk) =>
    // A page of the list that begins where this part of it does.
    onChoose(dialogue, paramsOf({ ...asked, page: Math.floor((at * size) / list.size) }));
  const narrow = (changed: Partial<ListState>) => {
    setChunk(0);
    setParams({ ...narrowingIn(params), ...paramsOf({ ...asked, ...changed, page: 0 }) });
  };
  const at = items.findIndex((item) => item.id === chosen);
  // What no longer fits the filter leaves its place to the next one.
  const [place, setPlace] = useState(-1);
  if (at !== -1 && at !== place) setPlace(at);
  const step = async (by: 1 | -1) => {
    const next = items[at === -1 && by === 1 ? Math.max(place, 0) : (at === -1 ? place : at) + by];
    if (next) return choose(next);
    if (by === 1 ? items.length < size : chunk === 0) return;
    try {
      const { items: others } = await call(dialogues.list, { query: queryOf(chunk + by) });
      const found = by === 1 ? others[0] : others.at(-1);
      if (!found) return;
      setChunk(chunk + by);
      choose(found, chunk + by);
    } catch (error) {
      toast.failure(error);
    }
  };
  const nextWaiting = async () => {
    try {
      const { items: human } = await call(dialogues.list, {
        query: { product_id: [productId], owner: ['human'], order_by: 'last_user_msg_at', order: 'asc', limit: 100 },
      });
      const waiting = human.filter((one) => owesAnswer(one));
      const next = waiting[(waiting.findIndex((one) => one.id === chosen) + 1) % Math.max(waiting.length, 1)];
      if (next && next.id !== chosen) choose(next);
      else toast.info(t('Nobody else waits for a human.'));
    } catch (error) {
      toast.failure(error);
    }
  };
  const input = useRef<HTMLInputElement>(null);
  useShortcut('/', t('Search'), () => input.current?.focus());
  useShortcut('j', t('Next dialogue'), () => void step(1));
  useShortcut('k', t('Previous dialogue'), () => void step(-1));
  useShortcut('n', t('Next dialogue that waits for a human, the longest first'), () => void nextWaiting());
  const active = dialogueFilters().filter((filter) => whole || isActive(filter, list.filters));
  return (
    <nav className={classes.list} data-whole={whole || undefined} aria-label={t('Dialogues')}>
      <TextInput
        ref={input}
        className={classes.listSearch}
        type="search"
        aria-label={t('Search dialogues')}
        placeholder={t('Search dialogues')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setChunk(0);
        }}
      />
      {active.length > 0 && (
        <div className={classes.listFilters}>
          <Filters filters={active} values={list.filters} onChange={(filters) => narrow({ filters })} />
        </div>
      )}
      <div className={classes.listRows}>
        {read.isPending && (
          <Stack gap="xs" p="xs" aria-busy>
            <Text size="xs" c="dimmed" role="status">
              {t('Loading {{entity}}...', { entity: t('dialogues') })}
            </Text>
            {['a', 'b', 'c', 'd', 'e'].map((key) => (
              <Skeleton key={key} height={44} />
            ))}
          </Stack>
        )}
        {read.isError && !read.data && <Failure error={read.error} onRetry={() => void read.refetch()} />}
        {read.data && items.length === 0 && (
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
            list={paramsOf(asked)}
            onChoose={choose}
          />
        ))}
        {items.length === size && (
          <Button variant="subtle" size="compact-sm" m="xs" onClick={() => setChunk(chunk + 1)}>
            {t('Show more')}
          </Button>
        )}
      </div>
    </nav>
  );
}

/** The lead spoke last: someone owes an answer. */
const owesAnswer = (dialogue: Dialogue): boolean => (dialogue.last_user_msg_id ?? 0) > (dialogue.last_bot_msg_id ?? 0);

interface DialogueRowProps {
  dialogue: Dialogue;
  chosen: boolean;
  /** Which list it stands in, for its address. */
  list: Record<string, string | undefined>;
  onChoose: (dialogue: Dialogue) => void;
}

function DialogueRow({ dialogue, chosen, list, onChoose }: DialogueRowProps) {
  const at = useNow();
  const { lead_name: name, last_msg_created_at: last, no_answer: noAnswer } = dialogue;
  const open = owesAnswer(dialogue);
  return (
    <UnstyledButton
      component="a"
      href={hrefOf('dialogue-chat', { ...list, dialogueId: dialogue.id, dialogueName: name })}
      className={`${classes.listRow} ${chosen ? classes.listChosen : ''}`}
      aria-current={chosen ? 'page' : undefined}
      onClick={(event) => {
        if (!opensHere(event)) return;
        event.preventDefault();
        onChoose(dialogue);
      }}
    >
      <span className={classes.listLine}>
        <Text span size="sm" fw={open ? 600 : 500} truncate>
          {name}
        </Text>
        <Text span size="xs" c="dimmed" className={classes.fixed}>
          {last === null ? '' : formatRelative(last, at)}
        </Text>
      </span>
      <span className={classes.listLine}>
        <Text span size="xs" c={open ? 'var(--mantine-color-text)' : 'dimmed'} truncate>
          {dialogue.found ? (
            <FoundWords text={dialogue.found} search={list.search ?? ''} />
          ) : dialogue.last_message === null ? (
            t('Nobody has written yet')
          ) : (
            <PlainText text={dialogue.last_message} />
          )}
        </Text>
        <span className={classes.fixed}>
          {dialogue.last_message_trouble !== null && <MessageStatusIcon status={dialogue.last_message_trouble} />}
          {noAnswer !== null && (
            <IconAlertCircle size={14} role="img" aria-label={noAnswer} color="var(--mantine-color-error)" />
          )}
          <OwnerIcon owner={dialogue.owner} size={14} label={listedOwnerWords(dialogue)} />
        </span>
      </span>
    </UnstyledButton>
  );
}
