/** dialogue-chat: one conversation, live, with who answers in it, the lead beside it and the other dialogues at hand. */
import { ActionIcon, Box, Drawer, Group, Text, Tooltip } from '@mantine/core';
import { useElementSize, useLocalStorage } from '@mantine/hooks';
import { IconId, IconWifiOff } from '@tabler/icons-react';
import { useState } from 'react';
import { Failure } from '../../../kit/Failure.tsx';
import type { LiveState } from '../../../kit/live.ts';
import { PageFrame } from '../../../kit/PageFrame.tsx';
import { idIn, usePage } from '../../../kit/page.ts';
import { useEndpoint } from '../../../kit/query.ts';
import { useScope } from '../../../kit/scope.ts';
import { t } from '../../../kit/t.ts';
import { readLeadOutreach } from '../../../outreach/rehearsalContract.ts';
import { type DialogueView, type Message, viewDialogue } from '../../contract.ts';
import { useDialogueLive } from '../live.ts';
import { narrowingIn } from '../narrowing.ts';
import { ChatContext, NoChatContext } from './ChatContext.tsx';
import { Conversation } from './Conversation.tsx';
import classes from './chat.module.css';
import { DialogueColumn } from './DialogueColumn.tsx';
import { LeadCard } from './LeadCard.tsx';
import { LoadingBubbles } from './LoadingBubbles.tsx';
import { OwnerBanner } from './OwnerBanner.tsx';

/** Narrower than this the lead card is a drawer; the style sheet says the same. */
const CARD_BESIDE_FROM = 620;
/** What happens is heard; that a setting was changed, or that time passes, is not. */
const OUTREACH_AGAIN_MS = 30_000;
/** Wide enough for list and thread; the card is a drawer then. */
const LIST_FROM = 760;
/** Wide enough for list, thread and card. */
const ALL_FROM = 1000;

export default function DialogueChatPage() {
  const { params, back, go } = usePage();
  const { product } = useScope();
  const dialogueId = idIn(params.dialogueId) ?? 0;
  const view = useEndpoint(viewDialogue, { params: { id: dialogueId } }, { enabled: dialogueId > 0, staleTime: 0 });
  const live = useDialogueLive(product?.id ?? null);
  const { ref, width } = useElementSize();
  const listed = width >= LIST_FROM;
  const narrow = width > 0 && (width <= CARD_BESIDE_FROM || (listed && width < ALL_FROM));
  const [beside, setBeside] = useLocalStorage({ key: 'rapport.chat.card', defaultValue: true });
  const [drawer, setDrawer] = useState(false);
  const shown = view.data;
  const goBack = () => back('crm-dialogues', narrowingIn(params));
  return (
    <PageFrame
      fill
      title={shown?.lead.name ?? (params.dialogueName || t('Dialogue'))}
      onBack={goBack}
      aside={
        shown && (
          <Text size="xs" c="dimmed" visibleFrom="sm" truncate>
            {shown.contact.contact} · {shown.channel.name}
          </Text>
        )
      }
      actions={
        <>
          <LiveNote live={live} />
          <Tooltip label={t('Lead card')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('Lead card')}
              aria-expanded={narrow ? drawer : beside}
              onClick={() => (narrow ? setDrawer(true) : setBeside(!beside))}
            >
              <IconId size={18} />
            </ActionIcon>
          </Tooltip>
        </>
      }
    >
      {shown ? <ChatContext view={shown} /> : <NoChatContext state={view.isError ? 'failed to load' : 'loading'} />}
      <div ref={ref} className={classes.page}>
        {listed && product !== null && (
          <DialogueColumn
            productId={product.id}
            chosen={dialogueId}
            onChoose={({ id, lead_name }, list) =>
              go('dialogue-chat', { ...list, dialogueId: id, dialogueName: lead_name }, { replace: true })
            }
          />
        )}
        {shown ? (
          <OpenDialogue
            key={dialogueId}
            view={shown}
            live={live}
            beside={beside && !narrow}
            drawer={narrow && drawer}
            onDrawerClose={() => setDrawer(false)}
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

interface OpenDialogueProps {
  view: DialogueView;
  live: LiveState;
  /** The lead card stands beside the thread. */
  beside: boolean;
  /** The lead card lies over the thread. */
  drawer: boolean;
  onDrawerClose: () => void;
}

function OpenDialogue({ view, live, beside, drawer, onDrawerClose }: OpenDialogueProps) {
  const [next, setNext] = useState<Message | null>(null);
  const outreach = useEndpoint(
    readLeadOutreach,
    { params: { lead_id: view.lead.id } },
    { staleTime: 0, refetchInterval: OUTREACH_AGAIN_MS },
  ).data;
  const card = <LeadCard view={view} next={next} outreach={outreach} />;
  return (
    <>
      <div className={classes.column}>
        <OwnerBanner view={view} />
        <Conversation view={view} outreach={outreach} live={live} onNext={setNext} />
      </div>
      {beside && (
        <aside className={classes.card} aria-label={t('Lead card')}>
          {card}
        </aside>
      )}
      <Drawer
        opened={drawer}
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

function LiveNote({ live }: { live: LiveState }) {
  if (live !== 'disconnected') return null;
  return (
    <Group gap={4} wrap="nowrap" role="status">
      <IconWifiOff size={16} aria-hidden />
      <Text size="xs">{t('Reconnecting...')}</Text>
    </Group>
  );
}
