/** Who answers in a dialogue: one set of words, colours and icons for the list and the dialogue itself. */
import { Badge, Tooltip } from '@mantine/core';
import { type Icon, IconRobot, IconUser } from '@tabler/icons-react';
import type { Option } from '../../kit/form.ts';
import { t } from '../../kit/t.ts';
import type { Tone } from '../../kit/theme.ts';
import { silenceOf } from '../../leads/pages/stage.tsx';
import { type Dialogue, type Owner, owners } from '../contract.ts';

interface OwnerLook {
  label: string;
  tone: Tone;
  icon: Icon;
}

const looks: Readonly<Record<Owner, OwnerLook>> = {
  bot: { label: 'Bot', tone: 'accent', icon: IconRobot },
  human: { label: 'Human', tone: 'teal', icon: IconUser },
};

/** Reasons of a hand-over that no operator chose, in words. */
const REASONS: Readonly<Record<string, string>> = {
  phone: 'written from our phone',
  qualified: 'the lead is qualified',
  'writes again': 'the lead writes again',
};

type Owned = Pick<Dialogue, 'owner' | 'owner_reason'>;
type Listed = Owned & Pick<Dialogue, 'lead_stage' | 'lead_is_active'>;

/** 'Bot is answering', 'Paused by {operator}' or 'Human'. */
export function ownerWords({ owner, owner_reason: reason }: Owned): string {
  if (owner === 'bot') return t('Bot is answering');
  if (reason === null || Object.hasOwn(REASONS, reason)) return t(looks.human.label);
  return t('Paused by {{operator}}', { operator: reason });
}

/** Why a human answers, when that is not an operator's choice; else null. */
export function ownerReason({ owner, owner_reason: reason }: Owned): string | null {
  const words = owner === 'bot' || reason === null ? undefined : REASONS[reason];
  return words === undefined ? null : t(words);
}

/** The same for a list, where a bot that writes nothing is not said to answer. */
export function listedOwnerWords(dialogue: Listed): string {
  return whySilent(dialogue) === null ? ownerWords(dialogue) : t('Bot stays silent');
}

function whySilent({ owner, lead_stage: stage, lead_is_active }: Listed): string | null {
  // That the lead asked for it is told where there is room for more.
  return owner === 'bot'
    ? silenceOf({ stage, is_active: lead_is_active, recognized_deactivation_request: false })
    : null;
}

interface OwnerIconProps {
  owner: Owner;
  size: number;
  /** What it says where no words stand beside it. */
  label?: string;
  className?: string | undefined;
}

export function OwnerIcon({ owner, label, ...look }: OwnerIconProps) {
  const { icon: Glyph } = looks[owner];
  if (label === undefined) return <Glyph {...look} aria-hidden />;
  return <Glyph {...look} role="img" aria-label={label} color="var(--mantine-color-dimmed)" />;
}

export function OwnerBadge({ dialogue }: { dialogue: Dialogue }) {
  const silent = whySilent(dialogue);
  const reason = silent ?? ownerReason(dialogue);
  const tone = silent === null ? looks[dialogue.owner].tone : 'gray';
  const badge = (
    <Badge color={tone} leftSection={<OwnerIcon owner={dialogue.owner} size={12} />}>
      {listedOwnerWords(dialogue)}
    </Badge>
  );
  return reason === null ? badge : <Tooltip label={reason}>{badge}</Tooltip>;
}

export function ownerOptions(): Option[] {
  return owners.map((owner) => ({ value: owner, label: t(looks[owner].label) }));
}
