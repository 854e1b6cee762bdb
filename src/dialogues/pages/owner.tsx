/** How it looks who answers in a dialogue. */
import { Badge, Tooltip } from '@mantine/core';
import { IconRobot, IconUser } from '@tabler/icons-react';
import type { Option } from '../../kit/form.ts';
import { t } from '../../kit/t.ts';
import type { Dialogue } from '../contract.ts';

export function OwnerBadge({ dialogue }: { dialogue: Dialogue }) {
  if (dialogue.owner === 'bot') {
    return (
      <Badge color="accent" leftSection={<IconRobot size={12} aria-hidden />}>
        {t('Bot')}
      </Badge>
    );
  }
  const badge = (
    <Badge color="teal" leftSection={<IconUser size={12} aria-hidden />}>
      {t('Human')}
    </Badge>
  );
  return dialogue.owner_reason === null ? badge : <Tooltip label={dialogue.owner_reason}>{badge}</Tooltip>;
}

export function ownerOptions(): Option[] {
  return [
    { value: 'bot', label: t('Bot') },
    { value: 'human', label: t('Human') },
  ];
}
