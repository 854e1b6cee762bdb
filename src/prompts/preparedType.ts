/** What prepared messages are for: a setting or a call may only use one of its kind. */
import type { Reader } from '../platform/db.ts';
import { ValidationError } from '../platform/http/errors.ts';
import type { PreparedMessage } from './contract.ts';
import { findPreparedOfOtherType } from './store.ts';

/** A field that refers to a prepared message. */
interface PreparedReference {
  readonly id: number | null | undefined;
  readonly loc: readonly (string | number)[];
}

const SENTENCES: Readonly<Record<PreparedMessage['type'], string>> = {
  initial: 'This prepared message is for follow-ups. Choose one for first messages.',
  ping: 'This prepared message is for first messages. Choose one for follow-ups.',
};

/** Refuse (422) prepared messages that are not of `type`, at the fields that name them. */
export async function requirePreparedType(
  reader: Reader,
  type: PreparedMessage['type'],
  references: readonly PreparedReference[],
): Promise<void> {
  const named = references.flatMap(({ id, loc }) => (id === null || id === undefined ? [] : [{ id, loc }]));
  if (named.length === 0) return;
  const wrong = new Set(
    await findPreparedOfOtherType(
      reader,
      named.map(({ id }) => id),
      type,
    ),
  );
  const detail = named.flatMap(({ id, loc }) =>
    wrong.has(id) ? [{ loc: ['body', ...loc], msg: SENTENCES[type], type: 'prepared_type' }] : [],
  );
  if (detail.length > 0) throw new ValidationError(detail);
}
