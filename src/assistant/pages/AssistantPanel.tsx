/** The assistant's panel: the conversation, and what the current page has published to the assistant. */
import { ActionIcon, Group, Loader, Title, Tooltip } from '@mantine/core';
import { IconEraser, IconInfoCircle, IconX } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import { ConnectionBadge } from '../../ui/ConnectionBadge.tsx';
import { t } from '../../ui/i18n.ts';
import classes from './AssistantPanel.module.css';
import { useAssistant } from './AssistantProvider.tsx';

const Conversation = lazy(() => import('./Conversation.tsx'));
const PageKnowledge = lazy(() => import('./PageKnowledge.tsx'));

export function AssistantPanel({ onClose }: { onClose: () => void }) {
  const { socket, flow, hasNoProduct, clear, wake } = useAssistant();
  const [knowledge, setKnowledge] = useState(false);
  useEffect(() => wake(), [wake]);
  return (
    <div className={classes.panel}>
      <header className={classes.head}>
        <Group gap="xs" wrap="nowrap">
          <Title order={2}>{t('Master LLM')}</Title>
          {!hasNoProduct && <ConnectionBadge size="sm" state={socket.state} />}
        </Group>
        <Group gap={4} wrap="nowrap">
          <Tooltip label={t('What the assistant knows')}>
            <ActionIcon
              variant={knowledge ? 'light' : 'subtle'}
              color="gray"
              aria-label={t('What the assistant knows')}
              aria-pressed={knowledge}
              onClick={() => setKnowledge(!knowledge)}
            >
              <IconInfoCircle size={18} />
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t('Clear')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('Clear')}
              disabled={flow.entries.length === 0 || socket.state !== 'connected'}
              onClick={clear}
            >
              <IconEraser size={18} />
            </ActionIcon>
          </Tooltip>
          <ActionIcon variant="subtle" color="gray" aria-label={t('Close the assistant panel')} onClick={onClose}>
            <IconX size={18} />
          </ActionIcon>
        </Group>
      </header>
      <Suspense fallback={<Loader m="md" size="sm" aria-label={t('Loading')} />}>
        {knowledge ? <PageKnowledge /> : <Conversation />}
      </Suspense>
    </div>
  );
}
