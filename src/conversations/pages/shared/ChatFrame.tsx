/** A dialogue between its list and the card of its lead: the page of dialogues, and the inbox. */
import { ActionIcon, Box, Drawer, Group, Text, Tooltip } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconId, IconWifiOff } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useLayoutEffect, useRef, useState } from 'react';
import { DeskBar, DeskState } from '../../../desk/pages/shared/DeskBar.tsx';
import { readLeadOutreach } from '../../../outreach/rehearsalContract.ts';
import { Failure } from '../../../ui/Failure.tsx';
import { t } from '../../../ui/i18n.ts';
import type { LiveState } from '../../../ui/live.ts';
import { PageFrame } from '../../../ui/PageFrame.tsx';
import { PREFETCHED_FOR_MS, useEndpoint } from '../../../ui/query.ts';
import { type Dialogue, type DialogueView, type Message, viewDialogue } from '../../contract.ts';
import { storeDialogue, useDialogueLive } from '../applyLiveEvents.ts';
import { Conversation } from '../chat/Conversation.tsx';
import classes from '../chat/chat.module.css';
import { LeadCard } from '../chat/LeadCard.tsx';
import { LoadingBubbles } from '../chat/LoadingBubbles.tsx';
import { NoChatContext } from '../chat/NoChatContext.tsx';
import { OwnerBanner } from '../chat/OwnerBanner.tsx';

/** Loaded after the page: its tools are for the assistant alone. */
const ChatContext = lazy(() => import('../chat/ChatContext.tsx'));

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

interface ChatFrameProps {
  /** The open dialogue; null if none is chosen. */
  dialogueId: number | null;
  /** The heading, until the dialogue is loaded. */
  title: string;
  /** The heading while a list is beside the dialogue; by default the lead's name. */
  titleOfList?: string;
  /** Leaves the dialogue. */
  onBack: () => void;
  /** Whether the back button is also there while the list is. */
  hasBackButton: boolean;
  /** The list; it is the whole page if no dialogue is open on a narrow screen. */
  list: (isFullPage: boolean) => ReactNode;
  /** Shown in place of the dialogue if none is chosen. */
  placeholder?: ReactNode;
  /** The assistant's context of the list, if no dialogue is chosen. */
  listContext?: ReactNode;
  actions?: ReactNode;
  /** Opens the next dialogue that waits for a person, after a message was sent. */
  onNext?: () => void;
  /** Called after the operator changed the dialogue. */
  onChanged?: (dialogue: Dialogue) => void;
  /** Product to follow while no dialogue is open. */
  productId: number | null;
  /** The dialogue in whose composer the cursor is put when it opens. */
  writeIn?: number | null;
}

export function ChatFrame(props: ChatFrameProps) {
  const { dialogueId, titleOfList, list, placeholder, listContext, actions, productId, onBack } = props;
  const isOpen = dialogueId !== null;
  const view = useEndpoint(
    viewDialogue,
    { params: { id: dialogueId ?? 0 } },
    { enabled: (dialogueId ?? 0) > 0, staleTime: PREFETCHED_FOR_MS },
  );
  const dialogueView = isOpen ? view.data : undefined;
  const live = useDialogueLive(dialogueView?.dialogue.product_id ?? productId);
  const { ref, hasList, card } = useLayout();
  const isListOnly = !isOpen && !hasList;
  const title = isListOnly || (titleOfList && hasList) ? (titleOfList ?? props.title) : null;
  return (
    <PageFrame
      fill
      title={title ?? dialogueView?.lead.name ?? props.title}
      {...(isOpen && (props.hasBackButton || !hasList) ? { onBack } : {})}
      aside={dialogueView && title === null && <ContactNote view={dialogueView} />}
      actions={
        <>
          <ConnectionNote live={live} />
          {actions}
          {isOpen && <CardButton isOpen={card.isShown} onClick={card.toggle} />}
        </>
      }
    >
      {!isOpen && listContext}
      {isOpen &&
        (dialogueView ? (
          <Suspense fallback={<NoChatContext state="loading" />}>
            <ChatContext view={dialogueView} {...(props.onNext ? { onNext: props.onNext } : {})} />
          </Suspense>
        ) : (
          <NoChatContext state={view.isError ? 'failed to load' : 'loading'} />
        ))}
      <div ref={ref} className={classes.page}>
        {(hasList || isListOnly) && list(isListOnly)}
        {dialogueView ? (
          <OpenDialogue
            key={dialogueId}
            {...props}
            view={dialogueView}
            live={live}
            card={card}
            isNamed={title !== null}
          />
        ) : (
          !isListOnly && (
            <div className={classes.column}>
              <NoDialogue {...{ isOpen, placeholder, error: view.error, onRetry: () => void view.refetch() }} />
            </div>
          )
        )}
      </div>
    </PageFrame>
  );
}

function ContactNote({ view }: { view: DialogueView }) {
  return (
    <Text size="xs" c="dimmed" visibleFrom="sm" truncate>
      {view.contact.contact} · {view.channel.name}
    </Text>
  );
}

interface NoDialogueProps {
  isOpen: boolean;
  placeholder: ReactNode;
  error: Error | null;
  onRetry: () => void;
}

function NoDialogue({ isOpen, placeholder, error, onRetry }: NoDialogueProps) {
  if (!isOpen) return placeholder;
  if (error === null) return <LoadingBubbles />;
  return (
    <Box p="md">
      <Failure error={error} onRetry={onRetry} />
    </Box>
  );
}

/** What a width in pixels has room for. */
const layoutOf = (width: number) => {
  const hasList = width >= LIST_MIN_WIDTH;
  return { hasList, isDrawer: width <= CARD_MIN_WIDTH || (hasList && width < FULL_LAYOUT_MIN_WIDTH) };
};

/** What the page's width has room for, and whether the lead card is shown. */
function useLayout() {
  const ref = useRef<HTMLDivElement>(null);
  // The frame around the page is there before it, and as wide: measured only when rendered, the page would be rendered
  // twice before anybody sees it.
  const [{ hasList, isDrawer }, setLayout] = useState(() =>
    layoutOf(document.getElementById('page')?.clientWidth ?? 0),
  );
  useLayoutEffect(() => {
    const page = ref.current;
    if (page === null) return;
    const measure = () => {
      const now = layoutOf(page.clientWidth);
      setLayout((before) => (before.hasList === now.hasList && before.isDrawer === now.isDrawer ? before : now));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(page);
    return () => observer.disconnect();
  }, []);
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

interface OpenDialogueProps extends Pick<ChatFrameProps, 'onNext' | 'onChanged' | 'writeIn'> {
  view: DialogueView;
  live: LiveState;
  card: ReturnType<typeof useLayout>['card'];
  /** Whether the heading of the page is not the lead's name. */
  isNamed: boolean;
}

function OpenDialogue({ view, live, card, isNamed, onNext, onChanged, writeIn }: OpenDialogueProps) {
  const [next, setNext] = useState<Message | null>(null);
  const outreach = useEndpoint(
    readLeadOutreach,
    { params: { lead_id: view.lead.id } },
    { staleTime: 0, refetchInterval: OUTREACH_REFETCH_MS },
  ).data;
  const leadCard = <LeadCard view={view} next={next} outreach={outreach} onShowMessage={card.closeDrawer} />;
  return (
    <>
      <div className={classes.column}>
        {isNamed && (
          <div className={`${classes.bar} ${classes.oneLine}`}>
            <Text fw={600} truncate title={view.lead.name} className={classes.leadName}>
              {view.lead.name}
            </Text>
            <DeskState dialogue={view.dialogue} />
          </div>
        )}
        <DeskBar
          view={view}
          {...(isNamed ? { note: <ContactNote view={view} /> } : {})}
          onChanged={(dialogue) => {
            storeDialogue(dialogue);
            onChanged?.(dialogue);
          }}
        />
        <OwnerBanner view={view} />
        <Conversation
          view={view}
          outreach={outreach}
          live={live}
          onNext={setNext}
          writesAtOnce={writeIn === view.dialogue.id}
          {...(onNext ? { onSentNext: onNext } : {})}
        />
      </div>
      {card.isShown && !card.isDrawer && (
        <aside className={classes.card} aria-label={t('Lead card')}>
          {leadCard}
        </aside>
      )}
      <Drawer
        opened={card.isShown && card.isDrawer}
        onClose={card.closeDrawer}
        position="right"
        size="sm"
        title={t('Lead card')}
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        {leadCard}
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
