/** Days as figures name them: always by their dates, since what is printed or saved is read later too. */
import { formatDate } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';

/** Format a calendar day: `9 Nov`, with the year unless it is the current one. */
export const dayText = (day: string): string => formatDate(`${day}T12:00:00.000Z`, 'UTC');

export const dayRange = (from: string, to: string): string =>
  from === to ? dayText(from) : t('{{from}} – {{to}}', { from: dayText(from), to: dayText(to) });
