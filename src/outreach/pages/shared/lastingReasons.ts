/** Reasons that only a change ends, as options of a filter. */
import { t } from '../../../ui/i18n.ts';
import { LASTING_REASONS } from '../../reason.ts';

export const lastingReasonOptions = (): { value: string; label: string }[] =>
  Object.entries(LASTING_REASONS).map(([value, label]) => ({ value, label: t(label) }));
