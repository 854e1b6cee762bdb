/** Asks operators to confirm their identity when the server requires it, and then repeats the call. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { onReauthenticationRequired } from '../../ui/api.ts';
import type { OperatorSelf } from '../contract.ts';

const IdentityForm = lazy(() => import('./IdentityForm.tsx'));

export function IdentityDialog({ operator }: { operator: OperatorSelf }) {
  const [opened, setOpened] = useState(false);
  /** All waiting calls: one dialog answers them. */
  const waiting = useRef<((confirmed: boolean) => void)[]>([]);
  useEffect(() => {
    onReauthenticationRequired(
      () =>
        new Promise((resolve) => {
          waiting.current.push(resolve);
          setOpened(true);
        }),
    );
    return () => onReauthenticationRequired(async () => false);
  }, []);
  const close = (confirmed: boolean) => {
    setOpened(false);
    for (const answer of waiting.current.splice(0)) answer(confirmed);
  };
  if (!opened) return null;
  return (
    <Suspense>
      <IdentityForm operator={operator} close={close} />
    </Suspense>
  );
}
