import { Button, Group, Modal, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { t } from './t.ts';

interface LeaveGuard {
  /** Runs `leave` at once, or after the operator has agreed to lose the changes. */
  ask: (leave: () => void) => void;
  /** From here on nothing is lost by leaving: the changes are saved. */
  release: () => void;
  /** The question; to be rendered. */
  question: ReactNode;
}

/** Asks before unsaved changes are lost: by closing, by going to another page, by closing the tab. */
export function useLeaveGuard(unsaved: boolean): LeaveGuard {
  // Read when leaving, not when rendering: a save and the step to the next page come without a render between them.
  const released = useRef(false);
  const [leaving, setLeaving] = useState<{ leave: () => void } | null>(null);
  const holds = () => unsaved && !released.current;
  const blocker = useBlocker({ shouldBlockFn: holds, enableBeforeUnload: holds, withResolver: true });

  const stay = () => {
    if (blocker.status === 'blocked') blocker.reset();
    setLeaving(null);
  };
  const discard = () => {
    const closing = leaving;
    setLeaving(null);
    if (blocker.status === 'blocked') blocker.proceed();
    else closing?.leave();
  };

  return {
    ask: (leave) => {
      if (holds()) setLeaving({ leave });
      else leave();
    },
    release: () => {
      released.current = true;
    },
    question: (
      <Modal
        opened={leaving !== null || blocker.status === 'blocked'}
        onClose={stay}
        title={t('Unsaved changes')}
        size="sm"
        centered
        // Over a dialog the two share a `Modal.Stack`, or one Esc would reach both.
        stackId="leave"
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        <Text size="sm">{t('Your changes are not saved. Leave without saving them?')}</Text>
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={stay} data-autofocus>
            {t('Keep editing')}
          </Button>
          <Button color="red" onClick={discard}>
            {t('Discard changes')}
          </Button>
        </Group>
      </Modal>
    ),
  };
}
