import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { ApiError } from '../../kit/api.ts';
import { Failure } from '../../kit/Failure.tsx';
import { Notice } from '../../kit/Notice.tsx';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { t } from '../../kit/t.ts';

interface PromptMissingProps {
  error: Error | null;
  malformed: boolean;
  onRetry: () => void;
}

/** A prompt that is on its way, failed to come, or is not there. */
export function PromptMissing({ error, malformed, onRetry }: PromptMissingProps) {
  const page = usePage();
  const back = () => page.back('prompts');
  const gone = malformed || (error instanceof ApiError && error.status === 404);
  usePageContext({
    description: t('The editor of one prompt.'),
    summary: JSON.stringify({ state: gone ? 'there is no such prompt' : error ? 'failed to load' : 'loading' }),
    tools: [],
  });
  return (
    <PageFrame title={t('Prompt')} onBack={back}>
      {gone ? (
        <Notice title={t('There is no such prompt.')} action={<Button onClick={back}>{t('Go to prompts')}</Button>} />
      ) : error ? (
        <Failure error={error} onRetry={onRetry} />
      ) : (
        <Stack gap="md">
          <Text size="xs" c="dimmed" role="status">
            {t('Loading {{entity}}...', { entity: t('prompt') })}
          </Text>
          {[40, 100, 100, 70].map((width, index) => (
            <Skeleton key={`${index}-${width}`} height="1.5rem" width={`${width}%`} />
          ))}
        </Stack>
      )}
    </PageFrame>
  );
}
