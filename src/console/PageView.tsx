/** Render the page that the address names. */
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { guideOf } from '../guide/contract.ts';
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx';
import { Failure } from '../ui/Failure.tsx';
import { GuideProvider } from '../ui/guide.ts';
import { t } from '../ui/i18n.ts';
import { Notice } from '../ui/Notice.tsx';
import { PageFrame } from '../ui/PageFrame.tsx';
import { usePage } from '../ui/page.ts';
import { useScope } from '../ui/scope.ts';
import { startPage } from '../ui/startPage.ts';
import { RowScopeGuard } from './RowScopeGuard.tsx';
import { findPage } from './registry.ts';

export function PageView() {
  const { key: requestedKey } = usePage();
  const key = requestedKey === '' ? startPage() : requestedKey;
  return (
    <GuideProvider value={guideOf(key)}>
      <PageOf pageKey={key} />
    </GuideProvider>
  );
}

function PageOf({ pageKey: key }: { pageKey: string }) {
  const { go } = usePage();
  const { company, product, failure, loadingText: waiting, openSelection: change } = useScope();
  const page = findPage(key);

  if (page === undefined) {
    return (
      <Notice
        title={t('Unknown page')}
        text={t('There is no page {{key}}.', { key })}
        order={1}
        action={<Button onClick={() => go(startPage())}>{t('Start page')}</Button>}
      />
    );
  }
  if (waiting !== null) {
    return (
      <PageFrame title={t(page.title)}>
        <PageSkeleton text={waiting} />
      </PageFrame>
    );
  }
  const isMissing = page.needs === 'product' ? product === null : page.needs === 'company' && company === null;
  if (isMissing && failure !== null) {
    return (
      <PageFrame title={t(page.title)} fill>
        <Notice
          title={t('Failed to load application data')}
          text={failure.error.message}
          action={
            <Group gap="xs" justify="center">
              <Button variant="default" onClick={failure.retry}>
                {t('Retry')}
              </Button>
              <Button onClick={change}>{t('Select Different Product')}</Button>
            </Group>
          }
        />
      </PageFrame>
    );
  }
  if (isMissing) {
    return (
      <PageFrame title={t(page.title)} fill>
        <Notice
          title={page.needs === 'product' ? t('No Product Selected') : t('No Company Selected')}
          text={t('This page works in a company and a product.')}
          action={<Button onClick={change}>{t('Select company & product')}</Button>}
        />
      </PageFrame>
    );
  }
  const { component: Page, rows = [] } = page;
  const loading = <PageFrame title={t(page.title)}>{null}</PageFrame>;
  return (
    <ErrorBoundary
      key={key}
      render={(error) => (
        <PageFrame title={t(page.title)}>
          <Failure error={error} onRetry={() => window.location.reload()} />
        </PageFrame>
      )}
    >
      {/* The key above unmounts the previous page while the next one loads. A hidden page would not set its title again. */}
      <Suspense fallback={loading}>
        {rows.reduceRight<ReactNode>(
          (inner, row) => (
            <RowScopeGuard page={page} row={row}>
              {inner}
            </RowScopeGuard>
          ),
          <Page fallback={loading} />,
        )}
      </Suspense>
    </ErrorBoundary>
  );
}

/** Placeholder for a page whose data cannot be requested yet. */
function PageSkeleton({ text }: { text: string }) {
  return (
    <Stack gap="md">
      <Text size="xs" c="dimmed" role="status">
        {text}
      </Text>
      {[40, 100, 100, 70].map((width, index) => (
        <Skeleton key={`${index}-${width}`} height="1.5rem" width={`${width}%`} />
      ))}
    </Stack>
  );
}
