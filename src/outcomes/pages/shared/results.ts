/** What texts have achieved, read once for all rows of a list. */
import type { QueryClient } from '@tanstack/react-query';
import { addDays, today } from '../../../ui/format.ts';
import { joinValues } from '../../../ui/listState.ts';
import type { PageParams } from '../../../ui/page.ts';
import { keyOf, useEndpoint } from '../../../ui/query.ts';
import { useProductZone } from '../../../ui/scope.ts';
import { isTooFew, rateOf } from '../../funnel.ts';
import {
  type Funnel,
  type FunnelOfValue,
  type OutcomeFilter,
  type Reached,
  readOutcomesBy,
} from '../../outcomeContract.ts';

/** Days of the figures beside texts, today included. */
export const RESULT_DAYS = 90;

/** A share of attempts, and the filter that finds those that are counted. */
export interface ShownRate {
  readonly count: number;
  readonly of: number;
  /** Null without attempts. */
  readonly rate: number | null;
  readonly low: number;
  readonly high: number;
  /** Fewer than 30 attempts. */
  readonly tooFew: boolean;
  readonly filter: OutcomeFilter;
}

/** A text whose attempts are counted: a first message, a prompt that writes it, or a prompt that answers. */
export interface CountedText {
  readonly kind: 'prepared_message' | 'text_prompt' | 'prompt';
  readonly id: number;
}

/** What a text has achieved, all of its versions together. */
export interface TextResult {
  readonly attempts: number;
  readonly filter: OutcomeFilter;
  /** Null for prompts that answer: each of their attempts has words of the lead. */
  readonly answered: ShownRate | null;
  readonly qualified: ShownRate;
}

/** Return the parameters by which `insights` and the list of attempts narrow to a filter, in the chosen product. */
export function insightsParams({ product_id: _product, ...filter }: OutcomeFilter): PageParams {
  return Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [
      name,
      Array.isArray(value) ? joinValues(value.map(String)) : String(value),
    ]),
  );
}

/** Return the filter of those attempts that have also reached something. */
export function withReached(filter: OutcomeFilter, name: Reached): OutcomeFilter {
  return { ...filter, reached: [...new Set([...(filter.reached ?? []), name])] };
}

/** Return one rate of a funnel. */
export function shownRate(funnel: Funnel, name: Reached, filter: OutcomeFilter): ShownRate {
  return {
    ...funnel.rates[name],
    count: funnel[name],
    of: funnel.attempts,
    tooFew: funnel.too_few,
    filter: withReached(filter, name),
  };
}

/** Return the first day of the figures beside texts, in the product's time zone. */
export function useFirstResultDay(): string {
  return addDays(today(useProductZone()), 1 - RESULT_DAYS);
}

const countsOf = (kind: CountedText['kind'], productId: number, from: string) => ({
  params: { dimension: kind === 'prompt' ? 'prompt_version' : 'first_text' } as const,
  query: { product_id: productId, started_from: from },
});

/** Read what a text has achieved; undefined while it loads. All texts of a product share one request. */
export function useTextResult(productId: number, text: CountedText) {
  const from = useFirstResultDay();
  const { data, isError } = useEndpoint(readOutcomesBy, countsOf(text.kind, productId, from));
  return { result: data && textResult(data.items, text), isError };
}

/** Return what a text has achieved if that was already read. */
export function cachedTextResult(cache: QueryClient, { productId, from, text }: CachedText): TextResult | undefined {
  const data = cache.getQueryData<{ items: FunnelOfValue[] }>(
    keyOf(readOutcomesBy, countsOf(text.kind, productId, from)),
  );
  return data && textResult(data.items, text);
}

interface CachedText {
  readonly productId: number;
  readonly from: string;
  readonly text: CountedText;
}

/** Add up the versions of a text. */
export function textResult(items: readonly FunnelOfValue[], { kind, id }: CountedText): TextResult {
  const own = items.filter(({ filter }) => filter[`${kind}_id`]?.includes(id));
  const attempts = own.reduce((sum, one) => sum + one.attempts, 0);
  const [first] = own;
  const { text_prompt_version: _text, prompt_version: _prompt, ...filter } = first?.filter ?? { product_id: 0 };
  const rate = (name: 'answered' | 'qualified'): ShownRate => {
    const count = own.reduce((sum, one) => sum + one[name], 0);
    return {
      ...rateOf(count, attempts),
      count,
      of: attempts,
      tooFew: isTooFew(attempts),
      filter: withReached(filter, name),
    };
  };
  return { attempts, filter, answered: kind === 'prompt' ? null : rate('answered'), qualified: rate('qualified') };
}
