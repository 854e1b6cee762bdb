/** Columns of a list of texts: attempts, and how many of them were answered and qualified. */
import { Skeleton, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type { Column } from '../../../ui/columns.ts';
import { t } from '../../../ui/i18n.ts';
import { AttemptsLink, formatRate, RateText } from './RateText.tsx';
import {
  type CountedText,
  cachedTextResult,
  RESULT_DAYS,
  type ShownRate,
  type TextResult,
  useFirstResultDay,
  useTextResult,
} from './results.ts';

interface Figure {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly span: number;
  readonly show: (result: TextResult) => ReactNode;
  readonly text: (result: TextResult) => string;
}

const rateText = (rate: ShownRate | null): string =>
  rate === null || rate.rate === null || rate.tooFew ? '' : formatRate(rate.rate);

const FIGURES: readonly Figure[] = [
  {
    key: 'attempts',
    label: 'Attempts',
    hint: 'Attempts to win a lead that began with this text, or whose first answer this prompt wrote, in the last {{days}} days',
    span: 1.1,
    show: ({ attempts, filter }) => <AttemptsLink count={attempts} filter={filter} />,
    text: ({ attempts }) => String(attempts),
  },
  {
    key: 'answered',
    label: 'Answered',
    hint: 'Share of the attempts of the last {{days}} days that the lead answered, with its 95 % interval. Not for prompts that answer: there the lead has always written',
    span: 1.6,
    show: ({ answered }) => <RateText rate={answered} />,
    text: ({ answered }) => rateText(answered),
  },
  {
    key: 'qualified',
    label: 'Qualified',
    hint: 'Share of the attempts of the last {{days}} days in which the lead became qualified, with its 95 % interval',
    span: 1.6,
    show: ({ qualified }) => <RateText rate={qualified} />,
    text: ({ qualified }) => rateText(qualified),
  },
];

/**
 * Return the columns. Their cells read the figures, so the request follows the list's own. `textOf` is null for rows whose
 * attempts are not counted; it must be the same function at every render.
 */
export function useResultColumns<T>(productId: number, textOf: (row: T) => CountedText | null): Column<T>[] {
  const cache = useQueryClient();
  const from = useFirstResultDay();
  return useMemo(
    () =>
      FIGURES.map(({ key, label, hint, span, show, text }) => ({
        key,
        label: t(label),
        hint: t(hint, { days: RESULT_DAYS }),
        number: true,
        span,
        render: (row: T) => {
          const counted = textOf(row);
          return counted === null ? <NoFigure /> : <FigureCell productId={productId} text={counted} show={show} />;
        },
        text: (row: T) => {
          const counted = textOf(row);
          const result = counted && cachedTextResult(cache, { productId, from, text: counted });
          return result ? text(result) : '';
        },
      })),
    [cache, from, productId, textOf],
  );
}

interface FigureCellProps {
  productId: number;
  text: CountedText;
  show: (result: TextResult) => ReactNode;
}

function FigureCell({ productId, text, show }: FigureCellProps) {
  const { result, isError } = useTextResult(productId, text);
  if (result) return show(result);
  return isError ? <NoFigure /> : <Skeleton height="0.8rem" width="60%" ml="auto" />;
}

function NoFigure() {
  return (
    <Text span inherit c="dimmed">
      –
    </Text>
  );
}
