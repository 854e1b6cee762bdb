import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { ApiError } from './api.ts';
import { t } from './i18n.ts';

interface FailureProps {
  error: Error;
  /** What failed, in a sentence; the call's own title then stands beneath it. */
  what?: string;
  onRetry?: () => void;
}

/** A failed call, in place: the title, the server's sentence beneath it, and a way to try again. */
export function Failure({ error, what, onRetry }: FailureProps) {
  const apiError = error instanceof ApiError ? error : null;
  // A 401 is answered by the redirect to the login page.
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
