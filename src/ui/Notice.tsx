/** A quiet full-area note: a state in a sentence, and the one button that helps. */
import { Center, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { setTitle } from './title.ts';

interface NoticeProps {
  title: string;
  /** A second sentence beneath. */
  text?: string | null;
  /** The button. */
  action?: ReactNode;
  /** Heading level that fits the surroundings; 1: the whole screen, which names the browser's tab too. */
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
