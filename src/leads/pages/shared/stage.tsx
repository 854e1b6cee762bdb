/** Labels, icons and colours of the stages, the same everywhere. */
import { Badge } from '@mantine/core';
import {
  type Icon,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconClockPause,
  IconEyeOff,
  IconMessages,
  IconSend,
} from '@tabler/icons-react';
import type { Option } from '../../../ui/form.ts';
import { t } from '../../../ui/i18n.ts';
import type { Tone } from '../../../ui/theme.ts';
import { type Lead, type Stage, stages } from '../../contract.ts';
import { leadBlockReason } from '../../lead.ts';

interface StageStyle {
  label: string;
  tone: Tone;
  icon: Icon;
}

const stageStyles: Readonly<Record<Stage, StageStyle>> = {
  initial: { label: 'Initial', tone: 'gray', icon: IconCircleDashed },
  started: { label: 'Started', tone: 'blue', icon: IconSend },
  ongoing: { label: 'Ongoing', tone: 'accent', icon: IconMessages },
  pending: { label: 'Pending', tone: 'yellow', icon: IconClockPause },
  refused: { label: 'Refused', tone: 'orange', icon: IconBan },
  ignore: { label: 'Ignore', tone: 'gray', icon: IconEyeOff },
  success: { label: 'Success', tone: 'green', icon: IconCircleCheck },
  failed: { label: 'Failed', tone: 'red', icon: IconCircleX },
};

/** Return the label of a stage, in the operator's language. */
export function stageLabel(stage: Stage): string {
  return t(stageStyles[stage].label);
}

export function StageBadge({ stage }: { stage: Stage }) {
  const { tone, icon: Glyph } = stageStyles[stage];
  return (
    <Badge color={tone} flex="none" leftSection={<Glyph size={12} aria-hidden />} data-stage={stage}>
      {stageLabel(stage)}
    </Badge>
  );
}

/** Return every stage as options for selects. */
export function stageOptions(): Option[] {
  return stages.map((stage) => ({ value: stage, label: stageLabel(stage) }));
}

/**
 * Return why the bot writes nothing to a lead, regardless of the dialogues' owners; null if it does. The text follows a
 * colon.
 */
export function botStopReason(
  lead: Pick<Lead, 'recognized_deactivation_request' | 'is_active' | 'stage'>,
): string | null {
  // The page does not know whether the product is switched off.
  const reason = leadBlockReason({ lead, isProductActive: true }, 'answer');
  switch (reason?.code) {
    case 'opted_out':
      return t('the lead opted out');
    case 'inactive':
      return t('the lead is not active');
    case 'stage':
      return t('the stage is {{stage}}', { stage: stageLabel(lead.stage) });
    default:
      return null;
  }
}

/** Describe in a few words whether the bot writes to the lead, and why not. */
export function activityLabel(lead: Pick<Lead, 'recognized_deactivation_request' | 'is_active'>): string {
  if (lead.is_active) return t('Active');
  return lead.recognized_deactivation_request ? t('Inactive: opted out') : t('Inactive');
}
