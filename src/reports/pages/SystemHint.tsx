import { Alert, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { PageLink } from '../../kit/PageLink.tsx';
import { useEndpoint } from '../../kit/query.ts';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { readSystemHealth } from '../systemContract.ts';

const REFRESH_MS = 60_000;

/** One line for admins while something of the installation is bad. */
export function SystemHint() {
  const { operator } = useScope();
  const isAdmin = operator.role === 'admin';
  const { data } = useEndpoint(readSystemHealth, {}, { enabled: isAdmin, refetchInterval: REFRESH_MS });
  if (!isAdmin || data?.level !== 'bad') return null;
  return (
    <Alert color="red" icon={<IconAlertTriangle />} p="xs">
      <Group gap="xs">
        <Text size="sm">{t('Something of the installation needs to be seen to now.')}</Text>
        <Text size="sm">
          <PageLink to="system">{t('Look at its health')}</PageLink>
        </Text>
      </Group>
    </Alert>
  );
}
