/** A titled list on the sandbox's pages, with its states while it loads. */
import { Group, Stack, Text, type TextProps, Title } from '@mantine/core';
import type { ComponentProps, PropsWithChildren, ReactNode } from 'react';
import { QueryList } from '../../ui/QueryList.tsx';

interface PanelProps<L extends { items: readonly unknown[] }> extends ComponentProps<typeof QueryList<L>> {
  title: string;
  /** Beside the title. */
  note?: ReactNode;
}

export function Panel<L extends { items: readonly unknown[] }>({ title, note, children, ...list }: PanelProps<L>) {
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{title}</Title>
        {note}
      </Group>
      <QueryList {...list}>{(loaded) => <Stack gap="xs">{children(loaded)}</Stack>}</QueryList>
    </section>
  );
}

export const SmallText = (props: PropsWithChildren<TextProps>) => <Text size="xs" c="dimmed" {...props} />;
