/** Weeks of `npm run simulate -- --send-at` in small: both engines send at the times that were worked out by hand. */
import { expect, it } from 'vitest';
import { createOutreachWorld } from '../../testing/outreachWorld.ts';
import { playWeeks } from './sendAt.ts';
import { SEND_AT_WEEKS } from './sendAtWeeks.ts';

/** The others are played by `npm run test:all`. */
const IN_SMALL = ['Left over by the limit', 'A limit raised at 22:00', 'A resume at 02:00', 'The default schedule'];
const isAll = process.env['RAPPORT_TESTS'] === 'all';

it("sends each first message at or after its day's Send at", async () => {
  const weeks = SEND_AT_WEEKS.filter(({ what }) => isAll || IN_SMALL.includes(what));
  const world = await createOutreachWorld();
  try {
    const played = await playWeeks(world, weeks);
    expect(played.flatMap(({ violations }) => violations)).toEqual([]);
    expect(played.map(({ rows }) => rows.length)).toEqual(weeks.map(({ expected }) => expected.length));
  } finally {
    await world.close();
  }
});
