/** The fixture of a scenario: both vendors, both messengers, and a product with working hours beside one without. */
import { setTimeout as pause } from 'node:timers/promises';
import { schedules } from '../../outreach/contract.ts';
import { products } from '../../products/contract.ts';
import { prompts } from '../../prompts/contract.ts';
import { ControlError } from '../../sandbox/emulators/control.ts';
import { connectChatpush } from '../../testing/chatpush.ts';
import type { Client } from '../../testing/client.ts';
import { connectHooks } from '../../testing/serverProcess.ts';
import { PROMPT, type TestLead, type World } from '../../testing/world.ts';
import { callOrThrow } from '../harness/calls.ts';
import { withApp } from '../harness/world.ts';

/** Working hours of that product, in UTC, every day. */
export const HOURS = { from: '09:00', to: '18:00' } as const;

/** What a lead gets when the bot hands the dialogue over. */
const HAND_OVER_TEXT = 'One moment please, a colleague will answer you here.';

export interface FixtureLead extends TestLead {
  readonly productId: number;
  readonly hasHours: boolean;
  /** Write from the phone exactly once, even if the vendor fails meanwhile. The text must be unique. */
  writeOnce(text: string): Promise<void>;
}

export interface ChaosFixture {
  /** Leads that the bot answers. */
  readonly botLeads: FixtureLead[];
  /** Leads that an operator answers; the bot is silent there once the operator has begun. */
  readonly operatorLeads: FixtureLead[];
  readonly productWithHours: number;
}

/** Register all vendors' hooks at the world's address, and create products and leads. Nodes must be serving. */
export async function createFixture(world: World, operator: Client, count: number): Promise<ChaosFixture> {
  await connectHooks(world);
  const chatpush = await withApp(world, (app) => connectChatpush({ ...world, app }));
  const productWithHours = await addProductWithHours(world, operator);
  await world.pool.query('update products set hand_over = true, hand_over_text = $1', [HAND_OVER_TEXT]);
  const routes = [
    { messenger: 'whatsapp', channel: world.whatsapp },
    { messenger: 'telegram', channel: world.telegram },
    { messenger: 'whatsapp', channel: chatpush.whatsapp },
    { messenger: 'telegram', channel: chatpush.telegram },
  ] as const;
  const botLeads: FixtureLead[] = [];
  const operatorLeads: FixtureLead[] = [];
  for (let index = 0; index < count; index++) {
    const route = routes[index % routes.length];
    if (!route) continue;
    const hasHours = Math.floor(index / routes.length) % 3 === 2;
    const productId = hasHours ? productWithHours : world.productId;
    const lead = await world.lead(`Lead ${index + 1}`, { ...route, productId });
    const fixtureLead = { ...lead, productId, hasHours, writeOnce: retryingWriter(world, lead, route.channel.ref) };
    (index % 5 === 4 ? operatorLeads : botLeads).push(fixtureLead);
  }
  return { botLeads, operatorLeads, productWithHours };
}

/** Return a function that sends a text through a vendor that may die before, while or after accepting it. */
function retryingWriter({ control }: World, lead: TestLead, channelId: string) {
  const { address, name } = lead;
  return async (text: string): Promise<void> => {
    for (let tries = 0; tries < 400; tries++) {
      try {
        if (tries > 0 && (await lead.thread()).some((one) => one.author === 'lead' && one.text === text)) return;
        await control.write(address, { channelId, name, text });
        return;
      } catch (error) {
        if (!(error instanceof ControlError) || error.status !== 0) throw error;
        await pause(50);
      }
    }
    throw new Error(`${name} wrote without success for 20 s`);
  };
}

async function addProductWithHours(world: World, operator: Client): Promise<number> {
  const product_id = await callOrThrow(operator, products.create, {
    body: { name: 'Wardrobes', company_id: world.companyId },
  });
  const prompt = { product_id, name: 'Vera of wardrobes', type: 'prompt', text: PROMPT } as const;
  await callOrThrow(operator, prompts.create, { body: prompt });
  const day = { is_working_day: true, time_start: HOURS.from, time_end: HOURS.to };
  const days = { 0: day, 1: day, 2: day, 3: day, 4: day, 5: day, 6: day };
  await callOrThrow(operator, schedules.create, { body: { product_id, timezone: 'UTC', config: { days } } });
  await world.pool.query(
    'insert into product_channels (product_id, company_id, channel_id) select $1, company_id, id from channels on conflict do nothing',
    [product_id],
  );
  return product_id;
}
