/** The page that the address names. */
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { CatchBoundary } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { guideOf } from '../guide/contract.ts';
import { Failure } from '../kit/Failure.tsx';
import { GuideProvider } from '../kit/guide.ts';
import { Notice } from '../kit/Notice.tsx';
import { PageFrame } from '../kit/PageFrame.tsx';
import { usePage } from '../kit/page.ts';
import { useScope } from '../kit/scope.ts';
import { t } from '../kit/t.ts';
import { RowGate } from './RowGate.tsx';
import { DEFAULT_PAGE, findPage } from './registry.ts';

export function PageView() {
  const { key: wanted } = usePage();
  const key = wanted === '' ? DEFAULT_PAGE : wanted;
  return (
    <GuideProvider value={guideOf(key)}>
      <PageOf pageKey={key} />
    </GuideProvider>
  );
}

function PageOf({ pageKey: key }: { pageKey: string }) {
  const { go } = usePage();
  const { company, product, failure, waiting, change } = useScope();
  const page = findPage(key);

  if (page === undefined) {
    return (
      <Notice
        title={t('Unknown page')}
        text={t('There is no page {{key}}.', { key })}
        order={1}
        action={<Button onClick={() => go(DEFAULT_PAGE)}>{t('Start page')}</Button>}
      />
    );
  }
  if (waiting !== null) {
    return (
      <PageFrame title={t(page.title)}>
        <Waiting words={waiting} />
      </PageFrame>
    );
  }
  const lacks = page.needs === 'product' ? product === null : page.needs === 'company' && company === null;
  if (lacks && failure !== null) {
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
  if (lacks) {
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
  return (
    <CatchBoundary
      getResetKey={() => key}
      errorComponent={({ error }) => (
        <PageFrame title={t(page.title)}>
          <Failure
            error={error instanceof Error ? error : new Error(String(error))}
            onRetry={() => window.location.reload()}
          />
        </PageFrame>
      )}
    >
      {/* Keyed, so that the former page is gone while the next one loads: kept hidden, it would not say its title again. */}
      <Suspense key={key} fallback={<PageFrame title={t(page.title)}>{null}</PageFrame>}>
        {rows.reduceRight<ReactNode>(
          (inner, row) => (
            <RowGate page={page} row={row}>
              {inner}
            </RowGate>
          ),
          <Page />,
        )}
      </Suspense>
    </CatchBoundary>
  );
}

/** The place of a page that cannot be asked for yet. */
function Waiting({ words }: { words: string }) {
  return (
    <Stack gap="md">
      <Text size="xs" c="dimmed" role="status">
        {words}
      </Text>
      {[40, 100, 100, 70].map((width, index) => (
        <Skeleton key={`${index}-${width}`} height="1.5rem" width={`${width}%`} />
      ))}
    </Stack>
  );
}
