/** Head of the sandbox's pages, with links to the other page and the console. */
import { Anchor, Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../ui/i18n.ts';
import { SmallText } from './Panel.tsx';
import classes from './sandbox.module.css';

interface SandboxFrameProps {
  title: string;
  note: string;
  other: { readonly href: string; readonly label: string };
  children: ReactNode;
}

export function SandboxFrame({ title, note, other, children }: SandboxFrameProps) {
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <Group gap="xs" wrap="nowrap">
          <Title order={1}>{title}</Title>
          <SmallText>{note}</SmallText>
        </Group>
        <Group gap="md">
          <Anchor href={other.href} size="sm">
            {other.label}
          </Anchor>
          <Anchor href="/" size="sm">
            {t('Open the console')}
          </Anchor>
        </Group>
      </header>
      {children}
    </div>
  );
}
