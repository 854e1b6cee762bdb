/** Appearance of each level: one colour, one icon, one word. */
import { Badge } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconEye } from '@tabler/icons-react';
import { t } from '../../ui/i18n.ts';
import type { Level } from '../contract.ts';

const LEVEL_STYLES = {
  fine: { label: 'Fine', tone: 'green', icon: IconCheck },
  look: { label: 'Needs attention', tone: 'yellow', icon: IconEye },
  bad: { label: 'Bad', tone: 'red', icon: IconAlertTriangle },
} as const;

export function LevelBadge({ level }: { level: Level }) {
  const { label, tone, icon: Icon } = LEVEL_STYLES[level];
  return (
    <Badge color={tone} leftSection={<Icon size={12} aria-hidden />}>
      {t(label)}
    </Badge>
  );
}
