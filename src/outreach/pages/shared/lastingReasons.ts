/** Reasons that only a change ends, by which leads can be listed: the number of a rehearsal is that of the list. */
import { t } from '../../../ui/i18n.ts';
import type { Reason } from '../../reason.ts';

const LABELS: Partial<Record<Reason['code'], string>> = {
  paused: 'Outreach is paused',
  no_firsts: 'No first messages in the settings',
  talked: 'There are messages already',
  no_contact: 'No contact',
  no_link: 'No channel that can write first',
  limit_zero: 'The daily limit is 0',
  address_busy: 'The address has a dialogue',
  person_known: 'The same person as another lead',
  forgotten: 'The person was deleted before',
  first_refused: 'The first message could not be delivered',
  no_hours: 'No working hours',
  text: 'No text could be made',
  no_dialogue: 'No dialogue yet',
  no_pings: 'No follow-ups in the product',
  pings_off: 'Follow-ups are off',
  human: 'A teammate is replying',
  never_wrote: 'The lead never wrote',
  answer_first: 'The lead wrote last',
  last_failed: 'Our last message failed',
  skipped: 'Follow-ups are skipped',
  finished: 'All follow-ups were sent',
};

const isLasting = ({ code }: Reason): boolean => LABELS[code] !== undefined;

/** Return the filters of the list of leads that has those of a reason in a rehearsal; null if none has. */
export const leadsOfReason = (reason: Reason): { next_reason: Reason['code']; is_active: true } | null =>
  isLasting(reason) ? { next_reason: reason.code, is_active: true } : null;

export const lastingReasonOptions = (): { value: string; label: string }[] =>
  Object.entries(LABELS).map(([value, label]) => ({ value, label: t(label) }));
