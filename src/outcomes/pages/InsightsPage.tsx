import { Button, Stack } from '@mantine/core';
import { IconFileAnalytics } from '@tabler/icons-react';
import type { MouseEvent } from 'react';
import { Failure } from '../../ui/Failure.tsx';
import { Filters } from '../../ui/Filters.tsx';
import { today } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { Notice } from '../../ui/Notice.tsx';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { isPlainClick } from '../../ui/PageLink.tsx';
import { hrefOf, usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { useEndpoint } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { readOutcomeStrip } from '../outcomeContract.ts';
import { LoadingFigures } from './insights/FigureSection.tsx';
import classes from './insights/insights.module.css';
import { insightsContext } from './insights/insightsContext.ts';
import { PeopleView, RefusalsView, SpendingView } from './insights/moreViews.tsx';
import { useOutcomeFilters } from './insights/outcomeFilters.ts';
import { RangeControl } from './insights/RangeControl.tsx';
import { SimulatedHistory } from './insights/SimulatedHistory.tsx';
import { Strip } from './insights/Strip.tsx';
import { type View, viewOf, views } from './insights/tabs.ts';
import { useInsights } from './insights/useInsights.ts';
import {
  ChannelsView,
  FirstTextsView,
  FollowUpsView,
  PromptsView,
  TimesView,
  type ViewProps,
  WeeksView,
} from './insights/views.tsx';
import { lastWeek } from './insights/week.ts';

/** What messages achieve: the funnel of the chosen product, and its breakdowns. */
export default function InsightsPage() {
  const page = usePage();
  const { product } = useScope();
  const filters = useOutcomeFilters();
  const { days, values, query, setDays, setValues } = useInsights(filters);
  const strip = useEndpoint(readOutcomeStrip, { query }, { keepPrevious: true });
  const view = viewOf(page.params);
  usePageContext(insightsContext({ page, product, query, view, figures: strip.data, filters }));
  const isEmpty = strip.data?.current.attempts === 0 && !strip.isPlaceholderData;
  return (
    <PageFrame
      title={t('Insights')}
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconFileAnalytics size="1rem" />}
          onClick={() =>
            page.go('insights-report', { productId: product?.id, week: lastWeek(today(product?.timezone)) })
          }
        >
          {t('Weekly report')}
        </Button>
      }
    >
      <Stack gap="md">
        <div className={classes.bar}>
          <RangeControl days={days} onChange={setDays} />
          <div className={classes.chips}>
            <Filters filters={filters} values={values} onChange={setValues} />
          </div>
        </div>
        {strip.error && <Failure error={strip.error} onRetry={() => strip.refetch()} />}
        {strip.data ? (
          <Strip figures={strip.data} filter={query} />
        ) : (
          !strip.error && <LoadingFigures entity={t('Figures')} />
        )}
        <SimulatedHistory />
        {isEmpty ? (
          <Empty hasFilters={Object.keys(values).length > 0} onClear={() => setValues({})} />
        ) : (
          <>
            <ViewTabs current={view} />
            <ViewOf view={view} query={query} />
          </>
        )}
      </Stack>
    </PageFrame>
  );
}

/** Navigation between the views. Each is a link, because each has its own address. */
function ViewTabs({ current }: { current: View }) {
  const { params, setView } = usePage();
  return (
    <nav className={classes.tabs} aria-label={t('Views')}>
      {views.map(({ key, label }) => (
        <a
          key={key}
          className={classes.tab}
          href={hrefOf('insights', { ...params, view: key })}
          aria-current={key === current ? 'page' : undefined}
          onClick={(event: MouseEvent) => {
            if (!isPlainClick(event)) return;
            event.preventDefault();
            setView({ view: key });
          }}
        >
          {t(label)}
        </a>
      ))}
    </nav>
  );
}

function ViewOf({ view, query }: ViewProps & { view: View }) {
  switch (view) {
    case 'weeks':
      return <WeeksView query={query} />;
    case 'first-texts':
      return <FirstTextsView query={query} />;
    case 'follow-ups':
      return <FollowUpsView query={query} />;
    case 'prompts':
      return <PromptsView query={query} />;
    case 'channels':
      return <ChannelsView query={query} />;
    case 'times':
      return <TimesView query={query} />;
    case 'people':
      return <PeopleView query={query} />;
    case 'refusals':
      return <RefusalsView query={query} />;
    case 'spending':
      return <SpendingView query={query} />;
    default:
      return view satisfies never;
  }
}

function Empty({ hasFilters, onClear }: { hasFilters: boolean; onClear: () => void }) {
  const { go } = usePage();
  return hasFilters ? (
    <Notice
      title={t('No attempts match')}
      text={t('Choose other days, or remove filters.')}
      action={
        <Button variant="default" onClick={onClear}>
          {t('Clear filters')}
        </Button>
      }
    />
  ) : (
    <Notice
      title={t('No attempts in this range')}
      text={t('An attempt begins with the first message to or from a lead. Choose other days, or import leads.')}
      action={<Button onClick={() => go('leads-import', {})}>{t('Import leads')}</Button>}
    />
  );
}
