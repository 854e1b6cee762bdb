/** A page whose contents are on their way, or could not be loaded. */
import { Skeleton, Stack, Text } from '@mantine/core';
import { Failure } from './Failure.tsx';
import { PageFrame } from './PageFrame.tsx';
import { usePageContext } from './pageContext.ts';
import { useLogged } from './query.ts';
import { t } from './t.ts';
import { waitingContext } from './waitingContext.ts';

interface PageWaitingProps {
  title: string;
  /** What is loaded, for 'Loading {entity}...'. */
  entity: string;
  /** What the page is for; the assistant hears it until the page itself speaks. */
  description: string;
  /** Null while it loads. */
  error: Error | null;
  onRetry: () => void;
  onBack?: () => void;
}

export function PageWaiting({ title, entity, description, error, onRetry, onBack }: PageWaitingProps) {
  usePageContext(waitingContext(description, error, onRetry));
  useLogged(error, `Failed to load ${entity}`);
  return (
    <PageFrame title={title} {...(onBack ? { onBack } : {})}>
      {error ? (
        <Failure error={error} onRetry={onRetry} />
      ) : (
        <Stack gap="md">
          <Text size="xs" c="dimmed" role="status">
            {t('Loading {{entity}}...', { entity })}
          </Text>
          {[40, 100, 100, 70].map((width, index) => (
            <Skeleton key={`${index}-${width}`} height="1.5rem" width={`${width}%`} />
          ))}
        </Stack>
      )}
    </PageFrame>
  );
}
