/** A message that fills an area: a short statement and at most one button. */
import { Center, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { setTitle } from './title.ts';

interface NoticeProps {
  title: string;
  /** A second sentence below the title. */
  text?: string | null;
  action?: ReactNode;
  /** Heading level. 1: the notice fills the screen and also sets the browser's title. */
  order?: 1 | 2;
}

export function Notice({ title, text, action, order = 2 }: NoticeProps) {
  useEffect(() => {
    if (order === 1) setTitle(title);
  }, [order, title]);
  return (
    <Center h="100%" p="lg" role="status">
      <Stack align="center" gap="xs" maw="var(--rapport-form)">
        <Title order={order} size="h2" ta="center">
          {title}
        </Title>
        {text !== undefined && text !== null && (
          <Text c="dimmed" ta="center">
            {text}
          </Text>
        )}
        {action}
      </Stack>
    </Center>
  );
}
