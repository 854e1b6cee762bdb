/** The lists of messages and leads: the same number of matching rows among ten thousand and among a million. */
import { z } from 'zod';
import type { Client } from '../../testing/client.ts';
import { type Dataset, openDataset } from './dataset.ts';
import { startCluster } from './environment.ts';
import { requestTimes, type Target } from './requests.ts';

/** One list at both sizes, ours and bare; milliseconds are medians of single requests. */
export interface ListResult {
  readonly list: 'messages' | 'leads';
  readonly name: string;
  readonly withTotal: boolean;
  /** Whether rows are skipped; reported without a target. */
  readonly isDeep: boolean;
  readonly matching: number;
  readonly small: number;
  readonly large: number;
  readonly bareSmall: number;
  readonly bareLarge: number;
  /** Ratio of the large to the small database, for ours. */
  readonly growth: number;
  /** Ratio of ours to bare, in the large database. */
  readonly ratio: number;
}

/** A query of an admin over all companies; reported without a target. */
export interface Unscoped {
  readonly name: string;
  readonly ms: number;
  readonly bareMs: number;
}

export interface Lists {
  readonly lists: readonly ListResult[];
  readonly unscoped: readonly Unscoped[];
  readonly requests: number;
  readonly postgres: string;
}

interface Case {
  readonly list: 'messages' | 'leads';
  readonly name: string;
  readonly query: Readonly<Record<string, string | number>>;
  /** Whether to query all of the operator's companies instead of one product. */
  readonly isCompany?: true;
}

/** Half of the rows are newer than this: see the seed. */
const HALF = new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10);

const CASES: readonly Case[] = [
  { list: 'messages', name: 'first page', query: {} },
  { list: 'messages', name: 'deep page (40)', query: { page: 40 } },
  { list: 'messages', name: 'filtered', query: { side: 'bot', status: 'read', created_from: HALF } },
  { list: 'messages', name: 'search', query: { search: 'walnut' } },
  { list: 'messages', name: 'ten products, first page', query: {}, isCompany: true },
  { list: 'messages', name: 'ten products, deep page (40)', query: { page: 40 }, isCompany: true },
  { list: 'leads', name: 'first page', query: {} },
  { list: 'leads', name: 'deep page (20)', query: { page: 20 } },
  { list: 'leads', name: 'filtered', query: { stage: 'ongoing', created_from: HALF } },
  { list: 'leads', name: 'search', query: { search: 'olga' } },
  { list: 'leads', name: 'ten products, first page', query: {}, isCompany: true },
  { list: 'leads', name: 'ten products, deep page (20)', query: { page: 20 }, isCompany: true },
];

/** Fill and serve both databases, and request each list from each server in turn `requests` times. */
export async function measureLists(requests: number): Promise<Lists> {
  const cluster = await startCluster();
  const datasets: Dataset[] = [];
  try {
    const small = await openDataset(cluster.url, 'small', { products: 10 });
    datasets.push(small);
    const large = await openDataset(cluster.url, 'large', { products: 1000 });
    datasets.push(large);
    const lists: ListResult[] = [];
    for (const one of CASES)
      for (const withTotal of [true, false]) lists.push(await measureCase(one, withTotal, { small, large, requests }));
    return { lists, unscoped: await measureUnscoped(large), requests, postgres: cluster.version };
  } finally {
    for (const dataset of datasets) await dataset.close();
    await cluster.stop();
  }
}

function targetsOf(
  { list, query, isCompany }: Case,
  withTotal: boolean,
  { url, bareUrl, productId, companyId, member }: Dataset,
): { ours: Target; bare: Target } {
  const parameters = {
    ...(isCompany ? {} : { product_id: productId }),
    limit: 25,
    page: 1,
    with_total: withTotal,
    ...query,
  };
  const text = (more: object): string =>
    new URLSearchParams(
      Object.entries({ ...parameters, ...more }).map(([name, value]) => [name, String(value)]),
    ).toString();
  return {
    ours: { url: `${url}/v1/${list}/?${text({})}`, cookie: member.cookie },
    bare: { url: `${bareUrl}/v1/${list}/?${text(isCompany ? { company_id: companyId } : {})}`, cookie: '' },
  };
}

async function measureCase(
  one: Case,
  withTotal: boolean,
  { small, large, requests }: { small: Dataset; large: Dataset; requests: number },
): Promise<ListResult> {
  const inSmall = targetsOf(one, withTotal, small);
  const inLarge = targetsOf(one, withTotal, large);
  const [matching, items] = await sameMatches(inSmall, inLarge);
  if (items === 0) throw new Error(`${one.list}, ${one.name}: nothing was found`);
  const [ours, grown, bare, bareGrown] = await requestTimes(
    [inSmall.ours, inLarge.ours, inSmall.bare, inLarge.bare],
    requests,
  );
  if (!ours || !grown || !bare || !bareGrown) throw new Error('Nothing was measured');
  return {
    list: one.list,
    name: one.name,
    withTotal,
    isDeep: 'page' in one.query,
    matching,
    small: ours,
    large: grown,
    bareSmall: bare,
    bareLarge: bareGrown,
    growth: grown / ours,
    ratio: grown / bareGrown,
  };
}

const page = z.object({ items: z.array(z.unknown()), total: z.number().nullish() });

/**
 * Return how many rows match and how many are on a page. All four must agree; otherwise the comparison is not valid.
 */
async function sameMatches(
  small: { ours: Target; bare: Target },
  large: { ours: Target; bare: Target },
): Promise<[matching: number, items: number]> {
  const found = [];
  for (const target of [small.ours, large.ours, small.bare, large.bare]) {
    const answer = await fetch(target.url, { headers: { cookie: target.cookie } });
    if (answer.status !== 200) throw new Error(`${target.url}: ${answer.status} ${await answer.text()}`);
    found.push(page.parse(await answer.json()).items.length);
  }
  const matching = [];
  for (const { ours } of [small, large]) {
    const answer = await fetch(ours.url.replace('with_total=false', 'with_total=true'), {
      headers: { cookie: ours.cookie },
    });
    matching.push(page.parse(await answer.json()).total ?? 0);
  }
  if (new Set(found).size > 1 || new Set(matching).size > 1)
    throw new Error(`${large.ours.url}: ${found.join(', ')} items, ${matching.join(', ')} matching rows`);
  return [matching[0] ?? 0, found[0] ?? 0];
}

const EVERYTHING: readonly { name: string; query: string }[] = [
  { name: 'first page, without total', query: 'page=1&with_total=false' },
  { name: 'first page, with total', query: 'page=1&with_total=true' },
  { name: 'deep page (20,000: 499,975 rows before it), without total', query: 'page=20000&with_total=false' },
  { name: 'deep page (20,000: 499,975 rows before it), with total', query: 'page=20000&with_total=true' },
  { name: 'search, with total', query: 'page=1&with_total=true&search=walnut' },
];

/** Measure an admin's list of all messages, without any filter. */
async function measureUnscoped({ url, bareUrl, admin }: Dataset): Promise<Unscoped[]> {
  const measured: Unscoped[] = [];
  for (const { name, query } of EVERYTHING) {
    const [ms, bareMs] = await requestTimes(
      everythingOf(`/v1/messages/?limit=25&${query}`, { url, bareUrl, admin }),
      3,
      1,
    );
    measured.push({ name, ms: ms ?? 0, bareMs: bareMs ?? 0 });
  }
  return measured;
}

const everythingOf = (path: string, at: { url: string; bareUrl: string; admin: Client }): Target[] => [
  { url: `${at.url}${path}`, cookie: at.admin.cookie },
  { url: `${at.bareUrl}${path}`, cookie: '' },
];
