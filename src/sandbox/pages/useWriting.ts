/** What is being written on a phone: shown at once, sent one after the other, however quickly it is typed. */
import { useRef, useState } from 'react';
import { call } from '../../kit/api.ts';
import { now } from '../../kit/now.ts';
import { toast } from '../../kit/toast.ts';
import { type WrittenKind, writeAsLead } from '../contract.ts';

export interface Written {
  key: string;
  text: string;
  at: string;
  /** The messenger's id, once it has one: the message that the phone then shows. */
  id: string | null;
}

interface Writing {
  written: readonly Written[];
  write: (text: string, kind: WrittenKind) => void;
}

/** @param hidden the vendor does not tell the lead's number */
export function useWriting(contactId: number, hidden: boolean): Writing {
  const [written, setWritten] = useState<readonly Written[]>([]);
  const line = useRef(Promise.resolve());
  const change = (key: string, next: (one: Written) => Written | null) =>
    setWritten((all) => all.map((one) => (one.key === key ? next(one) : one)).filter((one) => one !== null));
  const write = (text: string, kind: WrittenKind) => {
    const key = crypto.randomUUID();
    setWritten((all) => [...all, { key, text, at: new Date(now()).toISOString(), id: null }]);
    line.current = line.current
      .then(() => call(writeAsLead, { params: { contact_id: contactId }, body: { text, kind, number_hidden: hidden } }))
      .then(({ id }) => change(key, (one) => ({ ...one, id })))
      .catch((error: unknown) => {
        change(key, () => null);
        toast.failure(error);
      });
  };
  return { written, write };
}
