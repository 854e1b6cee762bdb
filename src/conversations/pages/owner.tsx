/** The owner of a dialogue: one set of labels, colours and icons for the list and the dialogue page. */
import { Badge, Tooltip } from '@mantine/core';
import { type Icon, IconRobot, IconUser } from '@tabler/icons-react';
import { ownerReasonLabel } from '../../leads/pages/shared/ownerReasons.ts';
import { botStopReason } from '../../leads/pages/shared/stage.tsx';
import type { Option } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import type { Tone } from '../../ui/theme.ts';
import { type Dialogue, type Owner, owners } from '../contract.ts';

interface OwnerStyle {
  label: string;
  tone: Tone;
  icon: Icon;
}

const ownerStyles: Readonly<Record<Owner, OwnerStyle>> = {
  bot: { label: 'Bot', tone: 'accent', icon: IconRobot },
  human: { label: 'Human', tone: 'teal', icon: IconUser },
};

type OwnerFields = Pick<Dialogue, 'owner' | 'owner_reason' | 'owner_reason_code'>;
type LabelledDialogue = OwnerFields & Pick<Dialogue, 'no_answer'>;
type ListedDialogue = LabelledDialogue & Pick<Dialogue, 'lead_stage' | 'lead_is_active'>;

/**
 * Return 'Bot is answering', 'Bot has not answered', '{operator} is replying' or 'Human'. A bot that could not answer
 * writes nothing until somebody retries or the lead writes again.
 */
export function ownerLabel(dialogue: LabelledDialogue): string {
  const { owner, owner_reason: operator, owner_reason_code: code, no_answer: noAnswer } = dialogue;
  if (owner === 'bot') return noAnswer === null ? t('Bot is answering') : t('Bot has not answered');
  return code === 'operator' && operator !== null
    ? t('{{operator}} is replying', { operator })
    : t(ownerStyles.human.label);
}

/** Return why a human owns the dialogue, if an operator did not choose it; else null. */
export function ownerReason({ owner, owner_reason: reason, owner_reason_code: code }: OwnerFields): string | null {
  if (owner === 'bot' || code === null || code === 'operator') return null;
  return ownerReasonLabel(code) ?? reason;
}

/** Return the owner label for a list, which also shows when the bot is stopped and writes nothing. */
export function ownerLabelInList(dialogue: ListedDialogue): string {
  return silentReason(dialogue) === null ? ownerLabel(dialogue) : t('Bot is off');
}

function silentReason({ owner, lead_stage: stage, lead_is_active }: ListedDialogue): string | null {
  // The flag is false here because lists have no room for the lead's own request.
  return owner === 'bot'
    ? botStopReason({ stage, is_active: lead_is_active, recognized_deactivation_request: false })
    : null;
}

interface OwnerIconProps {
  owner: Owner;
  size: number;
  /** Accessible label where no text is next to the icon. */
  label?: string;
  className?: string | undefined;
}

export function OwnerIcon({ owner, label, ...style }: OwnerIconProps) {
  const { icon: Glyph } = ownerStyles[owner];
  if (label === undefined) return <Glyph {...style} aria-hidden />;
  return <Glyph {...style} role="img" aria-label={label} color="var(--mantine-color-dimmed)" />;
}

export function OwnerBadge({ dialogue }: { dialogue: Dialogue }) {
  const { owner, no_answer: noAnswer } = dialogue;
  const silent = silentReason(dialogue);
  const stuck = owner === 'bot' ? noAnswer : null;
  const reason = silent ?? stuck ?? ownerReason(dialogue);
  const tone = silent !== null ? 'gray' : stuck !== null ? 'red' : ownerStyles[owner].tone;
  const badge = (
    <Badge color={tone} leftSection={<OwnerIcon owner={owner} size={12} />}>
      {ownerLabelInList(dialogue)}
    </Badge>
  );
  return reason === null ? badge : <Tooltip label={reason}>{badge}</Tooltip>;
}

export function ownerOptions(): Option[] {
  return owners.map((owner) => ({ value: owner, label: t(ownerStyles[owner].label) }));
}
