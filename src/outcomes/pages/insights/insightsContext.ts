/** What Insights tells the assistant, and its tools: read figures, set filters, open rows, export, open the report. */
import { z } from 'zod';
import { day } from '../../../platform/contract.ts';
import { call } from '../../../ui/api.ts';
import { type Filter, filterParamNames } from '../../../ui/filter.ts';
import { t } from '../../../ui/i18n.ts';
import { joinValues } from '../../../ui/listState.ts';
import { rowsForAssistant } from '../../../ui/listTools.ts';
import type { CurrentPage } from '../../../ui/page.ts';
import type { PageContext } from '../../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools } from '../../../ui/pageTool.ts';
import { readOutcomeSpending, readRefusals, readResponseTimes } from '../../insightContract.ts';
import {
  dimensions,
  type Funnel,
  type OutcomeFilter,
  reachable,
  readOutcomeCohorts,
  readOutcomesBy,
  readOutcomesByStep,
} from '../../outcomeContract.ts';
import { openTables, saveOpenTable } from '../shared/openTables.ts';
import { insightsParams, withReached } from '../shared/results.ts';
import type { StripFigures } from './Strip.tsx';
import { type View, views } from './tabs.ts';

interface InsightsContext {
  readonly page: Pick<CurrentPage, 'go' | 'setParams' | 'setView'>;
  readonly product: { readonly id: number; readonly name: string } | null;
  /** The days and filters that the page shows. */
  readonly query: OutcomeFilter;
  readonly view: View;
  readonly figures: StripFigures | undefined;
  readonly filters: readonly Filter[];
}

/** Build the context and tools that Insights gives the assistant. */
export function insightsContext(context: InsightsContext): PageContext {
  const { product, query, view, figures } = context;
  return {
    description: t(
      'What messages achieve in the chosen product: attempts to win leads, how far they got, and what they cost, by text, prompt, follow-up, channel, time and person.',
    ),
    summary: JSON.stringify({
      product: product && { id: product.id, name: product.name },
      filter: query,
      view,
      figures: figures
        ? { ...figures, current: brief(figures.current), previous: figures.previous && brief(figures.previous) }
        : 'loading',
    }),
    systemPrompt: t(
      'A rate with too_few has fewer than 30 attempts and tells nothing: say so instead of comparing it. Intervals that overlap widely show no difference.',
    ),
    ...insightsTools(context),
  };
}

/** The counts and rates that the strip shows. */
const brief = ({ rates, ...counts }: Funnel) => ({
  ...counts,
  rates: Object.fromEntries((['answered', 'qualified', 'success'] as const).map((name) => [name, rates[name]])),
});

const BREAKDOWN = z.strictObject({
  dimension: z.enum([...dimensions, 'step', 'cohorts', 'refusals', 'response_times', 'spending']),
});
const VIEW = z.strictObject({ view: z.enum(views.map(({ key }) => key)) });
const TABLE = z.strictObject({
  title: z.string().max(100).describe('Title of the table on the page, such as First texts'),
});
const ATTEMPTS = z.strictObject({
  reached: z.enum(reachable).optional().describe('Only attempts that have reached this'),
});

/** Return the input of the tool that sets filters: the parameters of the page's own filters. */
const filterInput = z.strictObject({
  started_from: day.optional().describe('First day of the first message'),
  started_to: day.optional().describe('Last day of the first message'),
  filters: z
    .array(z.strictObject({ name: z.string().max(60), values: z.array(z.string().max(400)).max(100) }))
    .max(20)
    .describe(
      'Filters by their names in the API, such as messenger, channel_id, source, model, operator, language, prompt_id with prompt_version, prepared_message_id. Omitted filters are cleared',
    ),
});

export function insightsTools({ page, query, filters }: Pick<InsightsContext, 'page' | 'query' | 'filters'>) {
  return pageTools(
    pageTool({
      name: 'show_breakdown',
      description: t('Reads the figures of a dimension for the days and filters of the page.'),
      input: BREAKDOWN,
      run: async ({ dimension }) => readBreakdown(dimension, query),
    }),
    pageTool({
      name: 'show_insights',
      description: t('Sets the days and filters of the page.'),
      input: filterInput,
      run: async ({ started_from, started_to, filters: chosen }) => {
        const names = filters.flatMap(filterParamNames);
        const unknown = chosen.find(({ name }) => !names.includes(name));
        if (unknown)
          throw new Error(
            t('There is no filter {{name}}. Filters: {{names}}', { name: unknown.name, names: names.join(', ') }),
          );
        const values = new Map(chosen.map(({ name, values: list }) => [name, joinValues(list) || undefined]));
        page.setParams({
          started_from,
          started_to,
          ...Object.fromEntries(names.map((name) => [name, values.get(name)])),
        });
        return { status: 'shown' };
      },
    }),
    pageTool({
      name: 'open_view',
      description: t('Opens a breakdown on the page.'),
      input: VIEW,
      run: async ({ view }) => {
        page.setView({ view });
        return { status: 'opened' };
      },
    }),
    pageTool({
      name: 'open_attempts',
      description: t('Opens the list of attempts behind the figures of the page, from where they can be saved as CSV.'),
      input: ATTEMPTS,
      run: async ({ reached }) => {
        page.go('insights-attempts', insightsParams(reached ? withReached(query, reached) : query));
        return { status: 'opened' };
      },
    }),
    pageTool({
      name: 'save_table',
      description: t('Saves a table of the open view as a CSV file on the operator’s computer, by its title.'),
      input: TABLE,
      confirm: true,
      irreversible: t('The file stays on your computer.'),
      run: async ({ title }) => {
        const rows = await saveOpenTable(title);
        if (rows === null)
          throw new Error(
            t('There is no table {{title}}. Tables: {{titles}}', { title, titles: openTables().join(', ') }),
          );
        return { status: 'saved', rows };
      },
    }),
    pageTool({
      name: 'open_report',
      description: t('Opens the weekly report of the chosen product.'),
      input: NO_ARGUMENTS,
      run: async () => {
        page.go('insights-report');
        return { status: 'opened' };
      },
    }),
  );
}

async function readBreakdown(
  dimension: z.output<typeof BREAKDOWN>['dimension'],
  query: OutcomeFilter,
): Promise<unknown> {
  switch (dimension) {
    case 'step':
      return rowsForAssistant((await call(readOutcomesByStep, { query })).items.map(withoutFilter));
    case 'cohorts':
      return rowsForAssistant(
        (await call(readOutcomeCohorts, { query })).items.map((row) => withoutFilter({ ...row, ...brief(row) })),
      );
    case 'refusals': {
      const { items, ...rest } = await call(readRefusals, { query });
      return { ...withoutFilter(rest), ...rowsForAssistant(items.map(withoutFilter)) };
    }
    case 'response_times': {
      const { items, ...rest } = await call(readResponseTimes, { query });
      return { ...rest, ...rowsForAssistant(items.map(withoutFilter)) };
    }
    case 'spending': {
      const { total, periods, models } = await call(readOutcomeSpending, { query: { ...query, by: 'week' } });
      return {
        total: withoutFilter(total),
        models: models.map(withoutFilter),
        ...rowsForAssistant(periods.map(withoutFilter)),
      };
    }
    default: {
      const { items } = await call(readOutcomesBy, { params: { dimension }, query });
      return rowsForAssistant(
        items.map((row) => withoutFilter({ ...row, ...brief(row), previous: row.previous && brief(row.previous) })),
      );
    }
  }
}

const withoutFilter = <T extends { filter?: unknown }>({ filter: _filter, ...rest }: T) => rest;
