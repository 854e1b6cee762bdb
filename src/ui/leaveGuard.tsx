import { Button, Group, Modal, Text } from '@mantine/core';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { addGuard } from './activeGuards.ts';
import { useBlocker } from './history.ts';
import { t } from './i18n.ts';

/** Storage of unsaved input in the browser. */
interface DraftStorage {
  /** Key of the edited document, for pages that edit one document after another. */
  draftKey: string | null;
  /** Deletes the stored input. */
  forget: () => void;
  /** Returns whether closing the tab would lose nothing. */
  isStored: () => boolean;
}

export interface LeaveGuard {
  /** Runs `leave` at once, or after the operator has agreed to lose the changes. */
  ask: (leave: () => void) => void;
  /** Turns the guard off, because the changes are saved. */
  release: () => void;
  /** The confirmation dialog, to be rendered. */
  question: ReactNode;
}

/**
 * Ask before unsaved changes are lost by closing a dialog, leaving the page or closing the tab. Input in `draftStorage`
 * survives closing the tab; it is deleted when the changes are discarded or saved.
 */
export function useLeaveGuard(unsaved: boolean, draftStorage: DraftStorage | null = null): LeaveGuard {
  // A ref, because a save and the navigation after it can happen without a render in between.
  const draftKey = draftStorage?.draftKey ?? null;
  const consent = useRef({ unsaved, draftKey, isGiven: false });
  const [leaving, setLeaving] = useState<{ leave: () => void } | null>(null);
  const isBlocking = () => unsaved && !consent.current.isGiven;
  const blocked = useBlocker({
    isBlocking,
    asksBeforeUnload: () => isBlocking() && draftStorage?.isStored() !== true,
  });
  // The operator's consent covers only the document and the changes it was given for.
  useEffect(() => {
    consent.current = { unsaved, draftKey, isGiven: false };
  }, [unsaved, draftKey]);
  const intercept = useEffectEvent((leave: () => void) => {
    if (isBlocking()) setLeaving({ leave });
    return isBlocking();
  });
  useEffect(() => addGuard((leave) => intercept(leave)), []);

  const stay = () => {
    blocked?.stay();
    setLeaving(null);
  };
  const release = () => {
    consent.current.isGiven = true;
    draftStorage?.forget();
  };
  const discard = () => {
    const closing = leaving;
    setLeaving(null);
    release();
    if (blocked !== null) blocked.proceed();
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
        opened={leaving !== null || blocked !== null}
        onClose={stay}
        title={t('Unsaved changes')}
        size="sm"
        centered
        // Above another dialog, both need the same `Modal.Stack`; otherwise one Esc would close both.
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
