/** dialogue-chat: one conversation, live, with who answers in it and the lead beside it. */
import { ActionIcon, Button, Drawer, Group, Text, Tooltip } from '@mantine/core';
import { useElementSize, useLocalStorage } from '@mantine/hooks';
import { IconId, IconWifiOff } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError } from '../../../kit/api.ts';
import { Failure } from '../../../kit/Failure.tsx';
import { Notice } from '../../../kit/Notice.tsx';
import { PageFrame } from '../../../kit/PageFrame.tsx';
import { usePage } from '../../../kit/page.ts';
import { usePageContext } from '../../../kit/pageContext.ts';
import { useEndpoint } from '../../../kit/query.ts';
import { t } from '../../../kit/t.ts';
import { type DialogueView, type Message, viewDialogue } from '../../contract.ts';
import { useDialogueLive } from '../live.ts';
import { Conversation } from './Conversation.tsx';
import classes from './chat.module.css';
import { LeadCard } from './LeadCard.tsx';
import { LoadingBubbles } from './LoadingBubbles.tsx';
import { OwnerBanner } from './OwnerBanner.tsx';

/** Narrower than this the lead card is a drawer; the style sheet says the same. */
const CARD_BESIDE_FROM = 620;

export default function DialogueChatPage() {
  const { params, back } = usePage();
  const dialogueId = Number(params.dialogueId);
  const known = Number.isSafeInteger(dialogueId) && dialogueId > 0;
  const view = useEndpoint(viewDialogue, { params: { id: dialogueId } }, { enabled: known, staleTime: 0 });
  const title = view.data?.lead.name ?? (params.dialogueName || t('Dialogue'));
  const missing = !known || (view.error instanceof ApiError && view.error.status === 404);
  const goBack = () => back('crm-dialogues');
  usePageContext({
    description: t('The conversation with one lead: read it, write in it, hand it between the bot and a human.'),
    summary: summaryOf(view.data),
    tools: [],
  });
  if (view.data && !missing) {
    return <OpenDialogue key={dialogueId} view={view.data} title={title} onBack={goBack} />;
  }
  return (
    <PageFrame title={title} onBack={goBack}>
      {missing ? (
        <Notice
          title={t('There is no such dialogue.')}
          action={<Button onClick={goBack}>{t('All dialogues')}</Button>}
        />
      ) : view.isError ? (
        <Failure error={view.error} onRetry={() => void view.refetch()} />
      ) : (
        <LoadingBubbles />
      )}
    </PageFrame>
  );
}

function OpenDialogue({ view, title, onBack }: { view: DialogueView; title: string; onBack: () => void }) {
  const live = useDialogueLive(view.dialogue.product_id);
  const { ref, width } = useElementSize();
  const [beside, setBeside] = useLocalStorage({ key: 'rapport.chat.card', defaultValue: true });
  const [drawer, setDrawer] = useState(false);
  const [next, setNext] = useState<Message | null>(null);
  const narrow = width > 0 && width <= CARD_BESIDE_FROM;
  const card = <LeadCard view={view} next={next} />;
  return (
    <PageFrame
      fill
      title={title}
      onBack={onBack}
      aside={
        <Text size="xs" c="dimmed" visibleFrom="sm" truncate>
          {view.contact.contact} · {view.channel.name}
        </Text>
      }
      actions={
        <>
          {live === 'disconnected' && (
            <Group gap={4} wrap="nowrap" role="status">
              <IconWifiOff size={16} aria-hidden />
              <Text size="xs">{t('Reconnecting...')}</Text>
            </Group>
          )}
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
        <div className={classes.column}>
          <OwnerBanner view={view} />
          <Conversation view={view} live={live} onNext={setNext} />
        </div>
        {beside && (
          <aside className={classes.card} aria-label={t('Lead card')}>
            {card}
          </aside>
        )}
      </div>
      <Drawer
        opened={narrow && drawer}
        onClose={() => setDrawer(false)}
        position="right"
        size="sm"
        title={t('Lead card')}
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        {card}
      </Drawer>
    </PageFrame>
  );
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
