/** The assistant's panel: the conversation, and what the current page has published to the assistant. */
import { ActionIcon, Group, Loader, Title, Tooltip } from '@mantine/core';
import { IconEraser, IconInfoCircle, IconX } from '@tabler/icons-react';
import { lazy, type MouseEvent, Suspense, useEffect, useState } from 'react';
import { ConnectionBadge } from '../../ui/ConnectionBadge.tsx';
import { t } from '../../ui/i18n.ts';
import classes from './AssistantPanel.module.css';
import { useAssistant } from './AssistantProvider.tsx';

const Conversation = lazy(() => import('./Conversation.tsx'));
const ConfirmDialog = lazy(async () => ({ default: (await import('../../ui/ConfirmDialog.tsx')).ConfirmDialog }));
const PageKnowledge = lazy(() => import('./PageKnowledge.tsx'));

/** Ignores the second press of a double click: the first one, on *Assistant*, has put this control under the pointer. */
const once = (run: () => void) => (event: MouseEvent) => {
  if (event.detail < 2) run();
};

export function AssistantPanel({ onClose }: { onClose: () => void }) {
  const { socket, flow, hasNoProduct, clear, wake } = useAssistant();
  const [knowledge, setKnowledge] = useState(false);
  const [isClearing, setClearing] = useState(false);
  useEffect(() => wake(), [wake]);
  return (
    <div className={classes.panel} data-assistant>
      <header className={classes.head}>
        <Group gap="xs" wrap="nowrap">
          <Title order={2}>{t('Master LLM')}</Title>
          {!hasNoProduct && <ConnectionBadge size="sm" state={socket.state} />}
          {/* On the left: on the right, the button was that opened the panel. */}
          <Tooltip label={t('Clear')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('Clear')}
              disabled={flow.entries.length === 0 || socket.state !== 'connected'}
              onClick={() => setClearing(true)}
            >
              <IconEraser size={18} />
            </ActionIcon>
          </Tooltip>
        </Group>
        <Group gap={4} wrap="nowrap">
          <Tooltip label={t('What the assistant knows')}>
            <ActionIcon
              variant={knowledge ? 'light' : 'subtle'}
              color="gray"
              aria-label={t('What the assistant knows')}
              aria-pressed={knowledge}
              onClick={once(() => setKnowledge(!knowledge))}
            >
              <IconInfoCircle size={18} />
            </ActionIcon>
          </Tooltip>
          <ActionIcon variant="subtle" color="gray" aria-label={t('Close the assistant panel')} onClick={once(onClose)}>
            <IconX size={18} />
          </ActionIcon>
        </Group>
      </header>
      {isClearing && (
        <Suspense>
          <ConfirmDialog
            title={t('Clear')}
            text={t('Clear this conversation with the assistant? This action cannot be undone.')}
            confirm={t('Clear')}
            color="red"
            run={async () => clear()}
            onDone={() => undefined}
            onClose={() => setClearing(false)}
          />
        </Suspense>
      )}
      <Suspense fallback={<Loader m="md" size="sm" aria-label={t('Loading')} />}>
        {knowledge ? <PageKnowledge /> : <Conversation />}
      </Suspense>
    </div>
  );
}
