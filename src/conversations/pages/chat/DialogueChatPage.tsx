/** dialogue-chat: one live conversation, with its owner, the lead card beside it, and the list of other dialogues. */
import { ActionIcon, Box, Drawer, Group, Text, Tooltip } from '@mantine/core';
import { useElementSize, useLocalStorage } from '@mantine/hooks';
import { IconId, IconWifiOff } from '@tabler/icons-react';
import { useState } from 'react';
import { readLeadOutreach } from '../../../outreach/rehearsalContract.ts';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import type { LiveState } from '../../../ui/live.ts';
import { PageFrame } from '../../../ui/PageFrame.tsx';
import { parseId, usePage } from '../../../ui/page.ts';
import { PREFETCHED_FOR_MS, useEndpoint } from '../../../ui/query.ts';
import { useScope } from '../../../ui/scope.ts';
import { type DialogueView, type Message, viewDialogue } from '../../contract.ts';
import { useDialogueLive } from '../applyLiveEvents.ts';
import { listParamsIn } from '../dialogueFilters.ts';
import { ChatContext, NoChatContext } from './ChatContext.tsx';
import { Conversation } from './Conversation.tsx';
import classes from './chat.module.css';
import { DialogueColumn } from './DialogueColumn.tsx';
import { LeadCard } from './LeadCard.tsx';
import { LoadingBubbles } from './LoadingBubbles.tsx';
import { OwnerBanner } from './OwnerBanner.tsx';

/** Below this width the lead card is a drawer; the style sheet has the same value. */
const CARD_MIN_WIDTH = 620;
/**
 * Refetch interval of the outreach plan: the stream reports events, but not changed settings or the passing of time.
 */
const OUTREACH_REFETCH_MS = 30_000;
/** Wide enough for list and thread; the card is a drawer then. */
const LIST_MIN_WIDTH = 760;
/** Wide enough for list, thread and card. */
const FULL_LAYOUT_MIN_WIDTH = 1000;

export default function DialogueChatPage() {
  const { params, back, go } = usePage();
  const { product } = useScope();
  const dialogueId = parseId(params.dialogueId) ?? 0;
  const view = useEndpoint(
    viewDialogue,
    { params: { id: dialogueId } },
    { enabled: dialogueId > 0, staleTime: PREFETCHED_FOR_MS },
  );
  const live = useDialogueLive(product?.id ?? null);
  const { ref, hasList, card } = useLayout();
  const dialogueView = view.data;
  const goBack = () => back('crm-dialogues', listParamsIn(params));
  return (
    <PageFrame
      fill
      title={dialogueView?.lead.name ?? (params.dialogueName || t('Dialogue'))}
      onBack={goBack}
      aside={
        dialogueView && (
          <Text size="xs" c="dimmed" visibleFrom="sm" truncate>
            {dialogueView.contact.contact} · {dialogueView.channel.name}
          </Text>
        )
      }
      actions={
        <>
          <ConnectionNote live={live} />
          <CardButton isOpen={card.isShown} onClick={card.toggle} />
        </>
      }
    >
      {dialogueView ? (
        <ChatContext view={dialogueView} />
      ) : (
        <NoChatContext state={view.isError ? 'failed to load' : 'loading'} />
      )}
      <div ref={ref} className={classes.page}>
        {hasList && product !== null && (
          <DialogueColumn
            productId={product.id}
            chosen={dialogueId}
            onChoose={({ id, lead_name }, list) =>
              go('dialogue-chat', { ...list, dialogueId: id, dialogueName: lead_name }, { replace: true })
            }
          />
        )}
        {dialogueView ? (
          <OpenDialogue
            key={dialogueId}
            view={dialogueView}
            live={live}
            isCardOpen={card.isShown && !card.isDrawer}
            isDrawerOpen={card.isShown && card.isDrawer}
            onDrawerClose={card.closeDrawer}
          />
        ) : (
          <div className={classes.column}>
            {view.isError ? (
              <Box p="md">
                <Failure error={view.error} onRetry={() => void view.refetch()} />
              </Box>
            ) : (
              <LoadingBubbles />
            )}
          </div>
        )}
      </div>
    </PageFrame>
  );
}

/** What the page's width has room for, and whether the lead card is shown. */
function useLayout() {
  const { ref, width } = useElementSize();
  const hasList = width >= LIST_MIN_WIDTH;
  const isDrawer = width > 0 && (width <= CARD_MIN_WIDTH || (hasList && width < FULL_LAYOUT_MIN_WIDTH));
  const [isCardOpen, setCardOpen] = useLocalStorage({ key: 'rapport.chat.card', defaultValue: true });
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const card = {
    isDrawer,
    isShown: isDrawer ? isDrawerOpen : isCardOpen,
    toggle: () => (isDrawer ? setDrawerOpen(true) : setCardOpen(!isCardOpen)),
    closeDrawer: () => setDrawerOpen(false),
  };
  return { ref, hasList, card };
}

function CardButton({ isOpen, onClick }: { isOpen: boolean; onClick: () => void }) {
  return (
    <Tooltip label={t('Lead card')}>
      <ActionIcon variant="subtle" color="gray" aria-label={t('Lead card')} aria-expanded={isOpen} onClick={onClick}>
        <IconId size={18} />
      </ActionIcon>
    </Tooltip>
  );
}

interface OpenDialogueProps {
  view: DialogueView;
  live: LiveState;
  /** Whether the lead card is shown beside the thread. */
  isCardOpen: boolean;
  /** Whether the lead card is open as a drawer over the thread. */
  isDrawerOpen: boolean;
  onDrawerClose: () => void;
}

function OpenDialogue({ view, live, isCardOpen, isDrawerOpen, onDrawerClose }: OpenDialogueProps) {
  const [next, setNext] = useState<Message | null>(null);
  const outreach = useEndpoint(
    readLeadOutreach,
    { params: { lead_id: view.lead.id } },
    { staleTime: 0, refetchInterval: OUTREACH_REFETCH_MS },
  ).data;
  const card = <LeadCard view={view} next={next} outreach={outreach} />;
  return (
    <>
      <div className={classes.column}>
        <OwnerBanner view={view} />
        <Conversation view={view} outreach={outreach} live={live} onNext={setNext} />
      </div>
      {isCardOpen && (
        <aside className={classes.card} aria-label={t('Lead card')}>
          {card}
        </aside>
      )}
      <Drawer
        opened={isDrawerOpen}
        onClose={onDrawerClose}
        position="right"
        size="sm"
        title={t('Lead card')}
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        {card}
      </Drawer>
    </>
  );
}

function ConnectionNote({ live }: { live: LiveState }) {
  if (live !== 'disconnected') return null;
  return (
    <Group gap={4} wrap="nowrap" role="status">
      <IconWifiOff size={16} aria-hidden />
      <Text size="xs">{t('Reconnecting...')}</Text>
    </Group>
  );
}
