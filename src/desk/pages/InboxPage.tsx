/** inbox: the dialogues that need people, of all products, with the open one beside them. */
import { ActionIcon, Button, Menu } from '@mantine/core';
import { IconCheck, IconSettings } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { viewDialogue } from '../../conversations/contract.ts';
import { ChatFrame } from '../../conversations/pages/shared/ChatFrame.tsx';
import { t } from '../../ui/i18n.ts';
import { Notice } from '../../ui/Notice.tsx';
import { queryClient, queryOf } from '../../ui/query.ts';
import { useSelection } from '../../ui/selection.ts';
import { useShortcut } from '../../ui/shortcuts.ts';
import { opensInboxFirst, setOpensInboxFirst } from '../../ui/startPage.ts';
import { toast } from '../../ui/toast.ts';
import { InboxColumn } from './InboxColumn.tsx';
import { applyDialogue, useInboxCounts, useInboxLive } from './useInbox.ts';
import { type InboxState, useInboxState } from './useInboxState.ts';

/** Loaded after the page: its tools are for the assistant alone. */
const InboxContext = lazy(() => import('./InboxContext.tsx'));

export default function InboxPage() {
  const { inbox, writeIn, openNext } = useOpening(useInboxState());
  useInboxLive();
  const { query, dialogueId, visible } = inbox;
  const counts = useInboxCounts({ product_id: query.product_id, company_id: query.company_id });
  const selection = useSelection(JSON.stringify(query));
  useShortcut('j', t('Next dialogue'), () => inbox.step(1));
  useShortcut('k', t('Previous dialogue'), () => inbox.step(-1));
  useShortcut('n', t('Next lead waiting for a person, longest wait first'), () => openNext(false));
  usePrefetchedNeighbour(
    dialogueId,
    visible.map(({ row }) => row.id),
  );
  const first = visible[0]?.row;
  return (
    <ChatFrame
      dialogueId={dialogueId}
      title={t('Inbox')}
      titleOfList={t('Inbox')}
      hasBackButton={false}
      onBack={inbox.close}
      productId={inbox.product?.id ?? null}
      writeIn={writeIn}
      onNext={() => openNext(true)}
      onChanged={applyDialogue}
      actions={<InboxSettings />}
      listContext={
        <Suspense>
          <InboxContext inbox={inbox} counts={counts} />
        </Suspense>
      }
      list={(isFullPage) => <InboxColumn inbox={inbox} counts={counts} isFullPage={isFullPage} selection={selection} />}
      placeholder={
        first && (
          <Notice
            title={t('Choose a dialogue')}
            text={t('j and k move through the list, Enter opens a dialogue.')}
            action={<Button onClick={() => inbox.open(first)}>{t('Open the first one')}</Button>}
          />
        )
      }
    />
  );
}

/** The ways to open a dialogue, and the one in whose composer the cursor is put: only where the operator goes on writing. */
function useOpening(state: InboxState) {
  const [writeIn, setWriteIn] = useState<number | null>(null);
  const findAndOpen = async (writes: boolean) => {
    const next = await state.findNext();
    if (!next) return toast.info(t('Nobody else is waiting.'));
    setWriteIn(writes ? next.id : null);
    state.open(next);
  };
  const inbox: InboxState = {
    ...state,
    open: (row) => {
      setWriteIn(null);
      state.open(row);
    },
    step: (by) => {
      setWriteIn(null);
      state.step(by);
    },
  };
  return { inbox, writeIn, openNext: (writes: boolean) => void findAndOpen(writes).catch(toast.failure) };
}

/** Read the dialogue below the open one ahead, so that it is there at once. */
function usePrefetchedNeighbour(dialogueId: number | null, ids: readonly number[]): void {
  const next = dialogueId === null ? undefined : ids[ids.indexOf(dialogueId) + 1];
  useEffect(() => {
    if (next !== undefined) void queryClient.prefetchQuery(queryOf(viewDialogue, { params: { id: next } }));
  }, [next]);
}

function InboxSettings() {
  const [isFirst, setFirst] = useState(opensInboxFirst);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('Settings of the inbox')}>
          <IconSettings size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.CheckboxItem
          checked={isFirst}
          checkIcon={<IconCheck size={16} />}
          onChange={(checked) => {
            setOpensInboxFirst(checked);
            setFirst(checked);
          }}
        >
          {t('Open the inbox at sign-in')}
        </Menu.CheckboxItem>
      </Menu.Dropdown>
    </Menu>
  );
}
