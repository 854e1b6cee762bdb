/** How each level looks: one colour, one icon, one word. */
import { Badge } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconEye } from '@tabler/icons-react';
import { t } from '../../../kit/t.ts';
import type { Level } from '../../systemContract.ts';

const LOOKS = {
  fine: { label: 'Fine', tone: 'green', icon: IconCheck },
  look: { label: 'Look here', tone: 'yellow', icon: IconEye },
  bad: { label: 'Bad', tone: 'red', icon: IconAlertTriangle },
} as const;

export function LevelBadge({ level }: { level: Level }) {
  const { label, tone, icon: Icon } = LOOKS[level];
  return (
    <Badge color={tone} leftSection={<Icon size={12} aria-hidden />}>
      {t(label)}
    </Badge>
  );
}
