/** The guide's first hour, followed to the letter without any other knowledge. */
import { it } from 'vitest';
import { FIRST_HOUR } from './firstHour.ts';
import { chromium, product, setUpJourney } from './journeySetup.ts';

setUpJourney();

it('works in every step as the guide describes it', async () => {
  const context = await chromium.context();
  const page = await context.newPage();
  for (const [heading, run] of Object.entries(FIRST_HOUR)) {
    await run({ url: product.url, context, page, shoot: async () => undefined }).catch((error: unknown) => {
      throw new Error(`${heading}: ${String(error)}`, { cause: error });
    });
  }
});
