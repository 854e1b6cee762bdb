/** dialogue-chat: one conversation, live, with who answers in it, the lead beside it and the other dialogues at hand. */
import { ActionIcon, Box, Button, Drawer, Group, Text, Tooltip } from '@mantine/core';
import { useElementSize, useLocalStorage } from '@mantine/hooks';
import { IconId, IconWifiOff } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError, call } from '../../../kit/api.ts';
import { Failure } from '../../../kit/Failure.tsx';
import type { LiveState } from '../../../kit/live.ts';
import { Notice } from '../../../kit/Notice.tsx';
import { PageFrame } from '../../../kit/PageFrame.tsx';
import { usePage } from '../../../kit/page.ts';
import { type PageContext, usePageContext } from '../../../kit/pageContext.ts';
import { useEndpoint } from '../../../kit/query.ts';
import { useScope } from '../../../kit/scope.ts';
import { t } from '../../../kit/t.ts';
import { readLeadOutreach } from '../../../outreach/rehearsalContract.ts';
import { type DialogueView, type Message, owners, setOwner, viewDialogue } from '../../contract.ts';
import { skipPings } from '../../skipContract.ts';
import { storeDialogue, useDialogueLive } from '../live.ts';
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
/** Wide enough for list, thread and card. */
const LIST_FROM = 1000;

export default function DialogueChatPage() {
  const { params, back, go } = usePage();
  const { product } = useScope();
  const dialogueId = Number(params.dialogueId);
  const known = Number.isSafeInteger(dialogueId) && dialogueId > 0;
  const view = useEndpoint(viewDialogue, { params: { id: dialogueId } }, { enabled: known, staleTime: 0 });
  const live = useDialogueLive(view.data?.dialogue.product_id ?? product?.id ?? null);
  const { ref, width } = useElementSize();
  const narrow = width > 0 && width <= CARD_BESIDE_FROM;
  const [beside, setBeside] = useLocalStorage({ key: 'rapport.chat.card', defaultValue: true });
  const [drawer, setDrawer] = useState(false);
  const missing = !known || (view.error instanceof ApiError && view.error.status === 404);
  const shown = missing ? undefined : view.data;
  const goBack = () => back('crm-dialogues');
  usePageContext({
    description: t('The conversation with one lead: read it, write in it, hand it between the bot and a human.'),
    summary: summaryOf(shown),
    ...(shown ? chatTools(shown) : { tools: [] }),
  });
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
      <div ref={ref} className={classes.page}>
        {width >= LIST_FROM && product !== null && (
          <DialogueColumn
            productId={product.id}
            chosen={dialogueId}
            onChoose={({ id, lead_name }) =>
              go('dialogue-chat', { dialogueId: id, dialogueName: lead_name }, { replace: true })
            }
          />
        )}
        {shown ? (
          <OpenDialogue
            key={dialogueId}
            view={shown}
            live={live}
            beside={beside}
            drawer={narrow && drawer}
            onDrawerClose={() => setDrawer(false)}
          />
        ) : (
          <div className={classes.column}>
            {missing ? (
              <Notice
                title={t('There is no such dialogue.')}
                action={<Button onClick={goBack}>{t('All dialogues')}</Button>}
              />
            ) : view.isError ? (
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

/** What the assistant may do in a dialogue. */
function chatTools({ dialogue }: DialogueView): Pick<PageContext, 'tools' | 'handlers'> {
  return {
    tools: [
      {
        name: 'set_owner',
        confirm: true,
        description: t('Hands the dialogue over to a human, or back to the bot.'),
        parameters: { type: 'object', properties: { owner: { enum: owners } }, required: ['owner'] },
      },
      {
        name: 'skip_follow_ups',
        description: t('Leaves out the follow-ups until our next message, or resumes them.'),
        parameters: { type: 'object', properties: { skip: { type: 'boolean' } }, required: ['skip'] },
        confirm: true,
      },
    ],
    handlers: {
      set_owner: {
        call: async (args) => {
          const changed = await call(setOwner, { params: { id: dialogue.id }, body: setOwner.body.parse(args) });
          storeDialogue(changed);
          return { owner: changed.owner };
        },
      },
      skip_follow_ups: {
        call: async (args) => {
          const changed = await call(skipPings, { params: { id: dialogue.id }, body: skipPings.body.parse(args) });
          storeDialogue(changed);
          return { skipped: changed.skip_ping_for_msg_id !== null };
        },
      },
    },
  };
}

function summaryOf(view: DialogueView | undefined): string {
  if (!view) return '';
  const { dialogue, lead, contact, channel } = view;
  return JSON.stringify({
    dialogue_id: dialogue.id,
    owner: dialogue.owner,
    no_answer: dialogue.no_answer,
    lead: { id: lead.id, name: lead.name, stage: lead.stage, is_active: lead.is_active },
    contact: contact.contact,
    channel: channel.name,
    last_message: dialogue.last_message,
  });
}
