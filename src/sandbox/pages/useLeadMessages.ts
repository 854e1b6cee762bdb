/** Messages written on a phone: shown at once and sent one after the other, however fast they are typed. */
import { useRef, useState } from 'react';
import { call } from '../../ui/api.ts';
import { now } from '../../ui/clock.ts';
import { toast } from '../../ui/toast.ts';
import { type WrittenKind, writeAsLead } from '../contract.ts';

interface PendingMessage {
  key: string;
  text: string;
  at: string;
  /** The messenger's id, once known: the message that the phone then shows. */
  id: string | null;
}

export function useLeadMessages(contactId: number) {
  const [pendingMessages, setWritten] = useState<readonly PendingMessage[]>([]);
  const queue = useRef(Promise.resolve());
  const change = (key: string, next: (one: PendingMessage) => PendingMessage | null) =>
    setWritten((all) => all.map((one) => (one.key === key ? next(one) : one)).filter((one) => one !== null));
  const write = (text: string, kind: WrittenKind) => {
    const key = crypto.randomUUID();
    setWritten((all) => [...all, { key, text, at: new Date(now()).toISOString(), id: null }]);
    queue.current = queue.current
      .then(() => call(writeAsLead, { params: { contact_id: contactId }, body: { text, kind } }))
      .then(({ id }) => change(key, (one) => ({ ...one, id })))
      .catch((error: unknown) => {
        change(key, () => null);
        toast.failure(error);
      });
  };
  return { pendingMessages, write };
}
