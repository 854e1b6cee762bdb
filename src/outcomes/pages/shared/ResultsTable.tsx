/** What the versions or variants of a text have achieved: a row each, with rates, intervals and cost. */
import { SegmentedControl, Table, Text, VisuallyHidden } from '@mantine/core';
import { type ReactNode, useRef } from 'react';
import { formatDollars } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { useSidewaysShadow } from '../../../ui/sidewaysScroll.ts';
import type { Funnel, OutcomeFilter } from '../../outcomeContract.ts';
import { AttemptsLink, formatRate, RateText } from './RateText.tsx';
import classes from './results.module.css';
import { RESULT_DAYS, shownRate } from './results.ts';

export interface ResultRow {
  readonly key: string;
  readonly label: ReactNode;
  /** Finds the row's attempts. */
  readonly filter: OutcomeFilter;
  readonly funnel: Funnel;
}

interface ResultsTableProps {
  /** Describes the rows to screen readers. */
  caption: string;
  /** Head of the first column. */
  label: string;
  rows: readonly ResultRow[];
  /** False where each attempt was answered: for prompts that answer. */
  hasAnswered: boolean;
}

export function ResultsTable({ caption, label, rows, hasAnswered }: ResultsTableProps) {
  const frame = useRef<HTMLElement>(null);
  useSidewaysShadow(frame);
  const names = hasAnswered ? (['answered', 'qualified', 'success'] as const) : (['qualified', 'success'] as const);
  return (
    // Focusable, so that it can be scrolled by keyboard on narrow screens.
    <section ref={frame} className={classes.scroll} aria-label={caption} tabIndex={0}>
      <Table className={classes.table} horizontalSpacing="sm">
        <caption>
          <VisuallyHidden>{caption}</VisuallyHidden>
        </caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{label}</Table.Th>
            <Table.Th className={classes.number}>{t('Attempts')}</Table.Th>
            {names.map((name) => (
              <Table.Th key={name} className={classes.number}>
                {t(LABELS[name])}
              </Table.Th>
            ))}
            <Table.Th className={classes.number}>{t('Cost per qualified')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, label: rowLabel, filter, funnel }) => (
            <Table.Tr key={key}>
              <Table.Th scope="row">{rowLabel}</Table.Th>
              <Table.Td className={classes.number}>
                <AttemptsLink count={funnel.attempts} filter={filter} />
              </Table.Td>
              {names.map((name) => (
                <Table.Td key={name} className={classes.number}>
                  <RateText rate={shownRate(funnel, name, filter)} />
                </Table.Td>
              ))}
              <Table.Td className={classes.number}>
                {funnel.cost_per_qualified === null ? (
                  <Text span inherit c="dimmed">
                    –
                  </Text>
                ) : (
                  formatDollars(funnel.cost_per_qualified)
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}

const LABELS = { answered: 'Answered', qualified: 'Qualified', success: 'Success' } as const;

/**
 * Say how the rates differ from those of the period before: `Qualified 31 %, in the 90 days before 27 %`. Null where one
 * of the periods has too few attempts to tell.
 */
export function changeText(current: Funnel, previous: Funnel | null): string | null {
  if (previous === null || current.too_few || previous.too_few) return null;
  const parts = (['answered', 'qualified'] as const).map((name) =>
    t('{{label}} {{now}}, in the {{days}} days before {{before}}', {
      label: t(LABELS[name]),
      now: formatRate(current.rates[name].rate ?? 0),
      days: RESULT_DAYS,
      before: formatRate(previous.rates[name].rate ?? 0),
    }),
  );
  return `${parts.join('. ')}.`;
}

export type ResultPeriod = 'recent' | 'all';

interface PeriodChoiceProps {
  value: ResultPeriod;
  onChange: (next: ResultPeriod) => void;
}

/** Choose between the last 90 days and all time. */
export function PeriodChoice({ value, onChange }: PeriodChoiceProps) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('Period')}
      value={value}
      onChange={(next) => onChange(next === 'all' ? 'all' : 'recent')}
      data={[
        { value: 'recent', label: t('Last {{days}} days', { days: RESULT_DAYS }) },
        { value: 'all', label: t('All time') },
      ]}
    />
  );
}
