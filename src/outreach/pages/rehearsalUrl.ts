/** The state of a rehearsal in the URL, so that reload, back and links keep it. Pure. */
import { PAGE_SIZES } from '../../platform/crud.ts';
import { type RehearsedMessage, rehearsalKinds } from '../rehearsalContract.ts';

export const PERIODS = [7, 30, 92] as const;
const DEFAULT_PERIOD = 30;
const DEFAULT_SIZE = 25;

export interface RehearsalState {
  readonly days: number;
  /** `YYYY-MM-DD`; undefined means all days. */
  readonly day: string | undefined;
  /** Kinds to show; empty means all. */
  readonly kinds: readonly RehearsedMessage['kind'][];
  /** Zero-based. */
  readonly page: number;
  readonly size: number;
}

/** Parse the URL parameters; malformed ones count as absent. */
export function rehearsalState(params: Readonly<Record<string, string | undefined>>): RehearsalState {
  const days = Number(params['days']);
  const page = Number(params['list_page'] ?? '1');
  const size = Number(params['list_size']);
  const kinds = new Set((params['kind'] ?? '').split(','));
  return {
    days: PERIODS.find((option) => option === days) ?? DEFAULT_PERIOD,
    day: isDay(params['day']) ? params['day'] : undefined,
    kinds: rehearsalKinds.filter((kind) => kinds.has(kind)),
    page: Number.isSafeInteger(page) && page >= 1 ? page - 1 : 0,
    size: PAGE_SIZES.find((option) => option === size) ?? DEFAULT_SIZE,
  };
}

/** Build the URL parameters. Defaults are omitted; undefined removes a parameter. */
export function rehearsalParams({ days, day, kinds, page, size }: RehearsalState): Record<string, string | undefined> {
  return {
    days: days === DEFAULT_PERIOD ? undefined : String(days),
    day,
    kind: kinds.join(',') || undefined,
    list_page: page === 0 ? undefined : String(page + 1),
    list_size: size === DEFAULT_SIZE ? undefined : String(size),
  };
}

function isDay(text: string | undefined): text is string {
  return /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}
