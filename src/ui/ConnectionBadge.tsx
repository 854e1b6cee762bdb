import { Badge, type BadgeProps } from '@mantine/core';
import type { SocketState } from './chatSocket.ts';
import { t } from './i18n.ts';

const COLORS: Readonly<Record<SocketState, string>> = { connected: 'green', connecting: 'yellow', disconnected: 'red' };

/** Badge with the connection state of a chat. */
export function ConnectionBadge({ state, ...rest }: { state: SocketState } & Pick<BadgeProps, 'className' | 'size'>) {
  return (
    <Badge {...rest} color={COLORS[state]} role="status">
      {textOf(state)}
    </Badge>
  );
}

function textOf(state: SocketState): string {
  if (state === 'connected') return t('Connected');
  return state === 'connecting' ? t('Connecting') : t('Disconnected');
}
