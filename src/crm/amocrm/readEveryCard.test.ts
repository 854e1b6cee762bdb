/** Reading all cards while they are edited, moved and deleted, from lists as the emulated amoCRM gives them. */
import { describe, expect, it } from 'vitest';
import { isMatching, orderOf } from '../../sandbox/emulators/amocrm/cardQuery.ts';
import type { Card } from '../../sandbox/emulators/amocrm/changes.ts';
import { type CardWindow, readEveryCard } from './readEveryCard.ts';

const PAGE = 50;
const STEP = 60_001;

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const cardOf = (id: number, updated_at: number): Card => ({
  id,
  name: `Card ${id}`,
  price: 0,
  status_id: STEP,
  pipeline_id: 50_001,
  created_by: 1,
  updated_by: 1,
  created_at: 1,
  updated_at,
  closed_at: null,
  fields: [],
  contacts: [],
});

interface Disturbance {
  readonly seconds: number;
  readonly edits: number;
  readonly moves: number;
  readonly deletions: number;
}

/** Read 600 cards whose changes are spread over some seconds. Returns those that stayed, and were not seen as they are. */
async function findMissed(seed: number, { seconds, edits, moves, deletions }: Disturbance): Promise<number[]> {
  const random = randomOf(seed);
  const cards = new Map(
    Array.from({ length: 600 }, (_, index) => cardOf(index + 1, 1000 + Math.floor(random() * seconds))).map(
      (one) => [one.id, one] as const,
    ),
  );
  const seen = new Map<number, number>();
  let now = 5000;
  const any = () => [...cards.values()][Math.floor(random() * cards.size)];
  /** What happens while and after a page is read. It ends some time: nobody goes on editing as fast as we read. */
  let pages = 0;
  const disturb = () => {
    if (++pages > 60) return;
    now += Math.floor(random() * 2);
    for (let count = 0; count < edits; count++) {
      const card = any();
      if (card) cards.set(card.id, { ...card, updated_at: now });
    }
    for (let count = 0; count < moves; count++) {
      const card = any();
      if (card) cards.set(card.id, { ...card, status_id: 1, updated_at: now });
    }
    for (let count = 0; count < deletions; count++) cards.delete(any()?.id ?? 0);
  };
  const read = async ({ from, to, order, page }: CardWindow) => {
    const query = new URLSearchParams({
      'filter[updated_at][from]': String(from),
      ...(to === undefined ? {} : { 'filter[updated_at][to]': String(to) }),
      'filter[statuses][0][pipeline_id]': '50001',
      'filter[statuses][0][status_id]': String(STEP),
      [`order[${order}]`]: 'asc',
    });
    const found = [...cards.values()].filter((one) => isMatching(one, query)).toSorted(orderOf(query));
    const chosen = found.slice((page - 1) * PAGE, page * PAGE).map((one) => one.id);
    // An edit between the search and the answer: the card comes in its old place with its new time.
    const last = cards.get(chosen.at(-1) ?? 0);
    if (last && random() < 0.3) cards.set(last.id, { ...last, updated_at: now });
    const answer = chosen.flatMap((id) => cards.get(id) ?? []);
    for (const one of answer) seen.set(one.id, one.updated_at);
    disturb();
    return { page: { updatedAt: answer.map((one) => one.updated_at), hasNext: page * PAGE < found.length } };
  };
  expect(await readEveryCard<never>(0, read)).toEqual({ until: expect.any(Number) });
  return [...cards.values()]
    .filter((one) => one.status_id === STEP && one.updated_at < 5000 && seen.get(one.id) !== one.updated_at)
    .map((one) => one.id);
}

describe('a pipeline of 600 cards that is edited while it is read', () => {
  const seeds = Array.from({ length: 20 }, (_, index) => index + 1);
  it.each<[string, Disturbance]>([
    ['edits', { seconds: 3600, edits: 10, moves: 0, deletions: 0 }],
    ['moves to other steps', { seconds: 3600, edits: 0, moves: 5, deletions: 0 }],
    ['deletions', { seconds: 3600, edits: 0, moves: 0, deletions: 5 }],
    ['all at once', { seconds: 600, edits: 8, moves: 3, deletions: 3 }],
    ['all at once, to cards that were changed together', { seconds: 2, edits: 8, moves: 3, deletions: 3 }],
    ['all at once, to cards that were imported in one second', { seconds: 1, edits: 8, moves: 3, deletions: 3 }],
  ])('loses none: %s', async (_what, disturbance) => {
    for (const seed of seeds) expect([seed, await findMissed(seed, disturbance)]).toEqual([seed, []]);
  });
});

it('reports a list that is not by time, instead of losing what it leaves out', async () => {
  const pages: CardWindow[] = [];
  const read = async (window: CardWindow) => {
    pages.push(window);
    return { page: { updatedAt: [10, 20, 30], hasNext: true } };
  };
  const cursors: number[] = [];
  const onProgress = async (cursor: number) => void cursors.push(cursor);
  expect(await readEveryCard<never>(100, read, onProgress)).toEqual({ failure: 'unsorted' });
  // The first page shows it. The next sync begins where this one did.
  expect([pages, cursors]).toEqual([[{ from: 100, order: 'updated_at', page: 1 }], []]);
});

it('reads on past cards without a time', async () => {
  const pages = [
    { updatedAt: [null, 10, 20], hasNext: true },
    { updatedAt: [null, null], hasNext: false },
  ];
  const read = async () => ({ page: pages.shift() ?? { updatedAt: [], hasNext: false } });
  expect(await readEveryCard<never>(0, read)).toEqual({ until: 10 });
});
