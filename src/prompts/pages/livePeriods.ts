/** Derive from the publications of a prompt when its versions were live. */
import type { PromptPublication } from '../contract.ts';

export interface LivePeriod {
  readonly publication: PromptPublication;
  /** When another version went live; null: it is live. */
  readonly until: string | null;
}

/** Return when each version was live, newest first. `publications`: the last ones, newest first. */
export function livePeriods(publications: readonly PromptPublication[]): Map<number, LivePeriod[]> {
  const periods = new Map<number, LivePeriod[]>();
  for (const [index, publication] of publications.entries()) {
    const period = { publication, until: publications[index - 1]?.created_at ?? null };
    periods.set(publication.version, [...(periods.get(publication.version) ?? []), period]);
  }
  return periods;
}
