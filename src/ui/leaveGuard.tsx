import { Button, Group, Modal, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { t } from './i18n.ts';

/** What is typed where it is kept in the browser. */
interface DraftStorage {
  /** What is edited, where one page edits one thing after the other. */
  draftKey: string | null;
  /** Nothing of it is needed any more. */
  forget: () => void;
  /** Whether closing the tab would lose nothing. */
  isStored: () => boolean;
}

export interface LeaveGuard {
  /** Runs `leave` at once, or after the operator has agreed to lose the changes. */
  ask: (leave: () => void) => void;
  /** From here on nothing is lost by leaving: the changes are saved. */
  release: () => void;
  /** The question; to be rendered. */
  question: ReactNode;
}

/** Of each guard in view: takes over a step that would lose something, and answers whether it did. */
const activeGuards = new Set<(leave: () => void) => boolean>();

/** Runs `leave`, which the browser's address does not tell of, at once or after the operator has agreed to lose changes. */
export function askBeforeLeaving(leave: () => void): void {
  for (const intercept of activeGuards) if (intercept(() => askBeforeLeaving(leave))) return;
  leave();
}

/**
 * Asks before unsaved changes are lost: by closing, by going to another page, by closing the tab. What is `kept` in the
 * browser is not lost with the tab, and is forgotten when the changes are discarded or saved.
 */
export function useLeaveGuard(unsaved: boolean, draftStorage: DraftStorage | null = null): LeaveGuard {
  // Read when leaving, not when rendering: a save and the step to the next page come without a render between them.
  const released = useRef(false);
  const [leaving, setLeaving] = useState<{ leave: () => void } | null>(null);
  const isBlocking = () => unsaved && !released.current;
  const blocker = useBlocker({
    shouldBlockFn: isBlocking,
    enableBeforeUnload: () => isBlocking() && draftStorage?.isStored() !== true,
    withResolver: true,
  });
  const draftKey = draftStorage?.draftKey ?? null;
  // What was agreed to holds for what stood there then.
  useEffect(() => {
    released.current = false;
  }, [unsaved, draftKey]);
  const intercept = useEffectEvent((leave: () => void) => {
    if (isBlocking()) setLeaving({ leave });
    return isBlocking();
  });
  useEffect(() => {
    const guard = (leave: () => void) => intercept(leave);
    activeGuards.add(guard);
    return () => void activeGuards.delete(guard);
  }, []);

  const stay = () => {
    if (blocker.status === 'blocked') blocker.reset();
    setLeaving(null);
  };
  const release = () => {
    released.current = true;
    draftStorage?.forget();
  };
  const discard = () => {
    const closing = leaving;
    setLeaving(null);
    release();
    if (blocker.status === 'blocked') blocker.proceed();
    else closing?.leave();
  };

  return {
    ask: (leave) => {
      if (isBlocking()) setLeaving({ leave });
      else leave();
    },
    release,
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
