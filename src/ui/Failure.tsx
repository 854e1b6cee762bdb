import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { ApiError } from './api.ts';
import { t } from './i18n.ts';

interface FailureProps {
  error: Error;
  /** What failed, in a sentence. The title of the error is then shown below it. */
  what?: string;
  onRetry?: () => void;
}

/** An error shown in place: its title, the server's message below it, and a retry button. */
export function Failure({ error, what, onRetry }: FailureProps) {
  const apiError = error instanceof ApiError ? error : null;
  // A 401 redirects to the login page instead.
  if (apiError?.status === 401) return null;
  return (
    <Alert color="red" icon={<IconAlertCircle />} title={what ?? apiError?.title ?? error.message} role="alert">
      {what !== undefined && <Text size="sm">{apiError?.title ?? error.message}</Text>}
      {apiError?.sentence && (
        <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
          {apiError.sentence}
        </Text>
      )}
      {apiError?.requestId && (
        <Text size="xs" c="dimmed">
          {t('Request {{id}}', { id: apiError.requestId })}
        </Text>
      )}
      {onRetry && (
        <Group mt="xs">
          <Button size="xs" variant="default" onClick={onRetry}>
            {t('Retry')}
          </Button>
        </Group>
      )}
    </Alert>
  );
}
