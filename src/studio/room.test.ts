import fc from 'fast-check';
import { expect, it } from 'vitest';
import { queueOf, roomsOf } from './room.ts';

const MODEL = { company_id: 3, vendor: 'chatgpt', model: 'gpt-4o' };
const OF_LEADS = 'model 3 chatgpt/gpt-4o';

it('leaves three quarters of a model to leads, and all that they use', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(250), fc.nat(60), (concurrency, ofLeads, ofStudio) => {
      const running = new Map([
        [OF_LEADS, ofLeads],
        [queueOf(MODEL), ofStudio],
      ]);
      const free = roomsOf({ concurrency, running, waiting: [MODEL] })[0]?.free ?? 0;
      expect(free + ofStudio).toBeLessThanOrEqual(Math.max(ofStudio, Math.max(1, concurrency / 4)));
      if (ofLeads >= concurrency) expect(free).toBe(0);
      if (free > 0) expect(free + ofStudio + ofLeads).toBeLessThanOrEqual(concurrency);
    }),
  );
});

it('counts other companies and other models by themselves', () => {
  const running = new Map([
    ['model 4 chatgpt/gpt-4o', 16],
    ['model 3 chatgpt/gpt-5', 16],
    [queueOf({ ...MODEL, company_id: 4 }), 4],
  ]);
  expect(roomsOf({ concurrency: 16, running, waiting: [MODEL] })).toEqual([{ ...MODEL, free: 4 }]);
});
