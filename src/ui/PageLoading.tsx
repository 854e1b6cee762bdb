/** A page whose content is loading or failed to load. */
import { Skeleton, Stack, Text } from '@mantine/core';
import { Failure } from './Failure.tsx';
import { t } from './i18n.ts';
import { loadingContext } from './loadingContext.ts';
import { PageFrame } from './PageFrame.tsx';
import { usePageContext } from './pageContext.ts';
import { useLogError } from './query.ts';

interface PageLoadingProps {
  title: string;
  /** Name of the content, for 'Loading {entity}...'. */
  entity: string;
  /** Purpose of the page. The assistant gets it until the page publishes its own context. */
  description: string;
  /** Null while the content loads. */
  error: Error | null;
  onRetry: () => void;
  onBack?: () => void;
}

export function PageLoading({ title, entity, description, error, onRetry, onBack }: PageLoadingProps) {
  usePageContext(loadingContext(description, error, onRetry));
  useLogError(error, `Failed to load ${entity}`);
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
