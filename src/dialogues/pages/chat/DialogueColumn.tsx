/** The product's other dialogues, those that talked last first: to go from one to the next without leaving the page. */
import { Button, Skeleton, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertCircle, IconSearch } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { Failure } from '../../../kit/Failure.tsx';
import { formatRelative } from '../../../kit/format.ts';
import { useShortcut } from '../../../kit/keys.ts';
import { useNow } from '../../../kit/now.ts';
import { opensHere, PageLink } from '../../../kit/PageLink.tsx';
import { PlainText } from '../../../kit/PlainText.tsx';
import { hrefOf } from '../../../kit/page.ts';
import { useEndpoint } from '../../../kit/query.ts';
import { t } from '../../../kit/t.ts';
import { type Dialogue, dialogues } from '../../contract.ts';
import { listedOwnerWords, OwnerIcon } from '../owner.tsx';
import { MessageStatusIcon } from '../status.tsx';
import classes from './chat.module.css';

const PAGE = 50;
/** The most the server gives at once. */
const MOST = 100;
const SEARCH_AFTER_MS = 200;

interface DialogueColumnProps {
  productId: number;
  chosen: number;
  onChoose: (dialogue: Dialogue) => void;
}

export function DialogueColumn({ productId, chosen, onChoose }: DialogueColumnProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), SEARCH_AFTER_MS);
  const [limit, setLimit] = useState(PAGE);
  const input = useRef<HTMLInputElement>(null);
  const query = { product_id: [productId], limit, with_total: false, search: search === '' ? undefined : search };
  const list = useEndpoint(dialogues.list, { query }, { keepPrevious: true });
  const items = list.data?.items ?? [];
  const step = (by: 1 | -1) => {
    const at = items.findIndex((item) => item.id === chosen);
    const next = items[at + by];
    if (next) onChoose(next);
  };
  useShortcut('/', t('Search'), () => input.current?.focus());
  useShortcut('j', t('Next dialogue'), () => step(1));
  useShortcut('k', t('Previous dialogue'), () => step(-1));
  return (
    <nav className={classes.list} aria-label={t('Dialogues')}>
      <TextInput
        ref={input}
        className={classes.listSearch}
        type="search"
        aria-label={t('Search dialogues')}
        placeholder={t('Search dialogues')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <div className={classes.listRows}>
        {list.isPending && (
          <Stack gap="xs" p="xs" aria-busy>
            <Text size="xs" c="dimmed" role="status">
              {t('Loading {{entity}}...', { entity: t('dialogues') })}
            </Text>
            {['a', 'b', 'c', 'd', 'e'].map((key) => (
              <Skeleton key={key} height={44} />
            ))}
          </Stack>
        )}
        {list.isError && !list.data && <Failure error={list.error} onRetry={() => void list.refetch()} />}
        {list.data && items.length === 0 && (
          <Text size="sm" c="dimmed" p="xs">
            {t('No {{entity}} found', { entity: t('dialogues') })}
          </Text>
        )}
        {items.map((dialogue) => (
          <DialogueRow key={dialogue.id} dialogue={dialogue} chosen={dialogue.id === chosen} onChoose={onChoose} />
        ))}
        {items.length === limit && limit < MOST && (
          <Button variant="subtle" size="compact-sm" m="xs" onClick={() => setLimit(MOST)}>
            {t('Show more')}
          </Button>
        )}
        {items.length >= MOST && (
          <Text size="sm" p="xs">
            <PageLink to="crm-dialogues">{t('All dialogues')}</PageLink>
          </Text>
        )}
      </div>
    </nav>
  );
}

interface DialogueRowProps {
  dialogue: Dialogue;
  chosen: boolean;
  onChoose: (dialogue: Dialogue) => void;
}

function DialogueRow({ dialogue, chosen, onChoose }: DialogueRowProps) {
  const at = useNow();
  const { lead_name: name, last_msg_created_at: last, no_answer: noAnswer } = dialogue;
  // The lead spoke last: someone owes an answer.
  const open = (dialogue.last_user_msg_id ?? 0) > (dialogue.last_bot_msg_id ?? 0);
  return (
    <UnstyledButton
      component="a"
      href={hrefOf('dialogue-chat', { dialogueId: dialogue.id, dialogueName: name })}
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
          {dialogue.last_message === null ? t('Nobody has written yet') : <PlainText text={dialogue.last_message} />}
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
