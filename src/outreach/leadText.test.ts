/** What leads see of texts that models write in Markdown, and of texts that people have typed: on their phones. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { messages, setOwner } from '../conversations/contract.ts';
import { suggestReply } from '../desk/contract.ts';
import { type DocumentPrompt, documentPrompts, type Prompt, prompts } from '../prompts/contract.ts';
import type { Client } from '../testing/client.ts';
import { messagesOf } from '../testing/messageRows.ts';
import { createOutreachWorld, type OutreachWorld } from '../testing/outreachWorld.ts';
import type { TestLead } from '../testing/world.ts';

const MARKDOWN = '## Prices\n**Kitchen:** 4200 €, see [the list](https://shop.example/a_b) for *all* of them.';
const ON_WHATSAPP = '*Prices*\n*Kitchen:* 4200 €, see the list (https://shop.example/a_b) for _all_ of them.';
const ON_TELEGRAM = 'Prices\nKitchen: 4200 €, see the list (https://shop.example/a_b) for all of them.';
const SEEN = { whatsapp: ON_WHATSAPP, telegram: ON_TELEGRAM } as const;
const MESSENGERS = ['whatsapp', 'telegram'] as const;

let world: OutreachWorld;
let admin: Client;
beforeAll(async () => {
  world = await createOutreachWorld();
  admin = await world.operator();
});
afterAll(() => world.close());
beforeEach(() => world.reset());

/** Have the model write Markdown, whatever it is asked. */
const writeMarkdown = (text = MARKDOWN) => world.control.setFaults([{ kind: 'openai.says', says: text }]);

async function startedLead(name: string, messenger: 'whatsapp' | 'telegram'): Promise<TestLead> {
  await world.advanceClockTo('07:59');
  const lead = await world.createLead(name, { messenger });
  await world.advanceClock(2 * 60);
  return lead;
}

describe.each(MESSENGERS)('on %s', (messenger) => {
  it("shows a bot's answer in the messenger's own markup, and stores what was sent", async () => {
    await writeMarkdown();
    const lead = await world.lead('Asks', { messenger });
    await lead.writes('What does a kitchen cost?');
    await world.drain();
    expect(await lead.sees()).toEqual(['lead: What does a kitchen cost?', `us: ${SEEN[messenger]}`]);
    expect((await messagesOf(world, lead, 'bot')).map(({ message }) => message)).toEqual([SEEN[messenger]]);
  });

  it('shows a first message that a model has written likewise', async () => {
    await writeMarkdown();
    const base = { product_id: world.productId, name: `Offer ${messenger}` };
    const prompt = await admin.call(prompts.create, { body: { ...base, type: 'document', text: 'Write an offer.' } });
    const document = await admin.call(documentPrompts.create, {
      body: { ...base, prompt_id: (prompt.body as Prompt).id, document_type: 'offer' },
    });
    const { id } = document.body as DocumentPrompt;
    await world.setFirstMessages({ initial_message_send_at: '08:00', initial_message_document_prompt_id: id });
    const lead = await startedLead('First', messenger);
    expect(await lead.sees()).toEqual([`us: ${SEEN[messenger]}`]);
  });

  it('shows a follow-up that a model has written likewise', async () => {
    await world.setFirstMessages({ initial_message_send_at: '08:00' });
    await world.setFollowUps([{ after_minutes: 60, prompt_id: await world.addPrompt('Ask again.') }]);
    const lead = await startedLead('Silent', messenger);
    await writeMarkdown();
    await world.advanceClock(70 * 60);
    expect(await lead.sees()).toEqual(['us: Good day!', `us: ${SEEN[messenger]}`]);
  });

  it('sends what people have typed and prepared as they did', async () => {
    const typed = '**Sale!** 5* hotels, # 1, [here](https://shop.example)';
    await world.setFirstMessages({ initial_message_send_at: '08:00', initial_message_text: typed });
    await world.setFollowUps([{ after_minutes: 60, prepared_message_id: await world.addPreparedMessage(typed) }]);
    const lead = await startedLead('Typed', messenger);
    await world.advanceClock(70 * 60);
    const sent = await admin.call(messages.create, {
      body: {
        product_id: world.productId,
        contact_id: lead.contactId,
        dialogue_id: await lead.dialogueId(),
        message: typed,
        delay_enabled: false,
        schedule_enabled: false,
      },
    });
    expect(sent.status).toBe(201);
    await world.drain();
    expect(await lead.sees()).toEqual(Array.from({ length: 3 }, () => `us: ${typed}`));
  });

  it('drafts for operators what would be sent', async () => {
    const lead = await world.lead('Drafted', { messenger });
    await admin.call(setOwner, { params: { id: await lead.dialogueId() }, body: { owner: 'human' } });
    await lead.writes('What does a kitchen cost?');
    await world.drain();
    await writeMarkdown();
    const draft = await admin.call(suggestReply, { params: { id: await lead.dialogueId() } });
    expect(draft.body).toMatchObject({ text: SEEN[messenger] });
  });
});

it('sends the sentence of a hand-over as the team has typed it', async () => {
  await world.pool.query("update products set hand_over = true, hand_over_text = '**One moment**'");
  const lead = await world.lead('Wants a person');
  await lead.writes('Can I talk to a manager?');
  await world.drain();
  expect(await lead.sees()).toEqual(['lead: Can I talk to a manager?', 'us: **One moment**']);
});

it('gives the model its own messages as they were sent', async () => {
  await writeMarkdown();
  const lead = await world.lead('Asks twice');
  await lead.writes('What does a kitchen cost?');
  await world.drain();
  await lead.writes('And a table?');
  await world.drain();
  const asked = JSON.stringify((await world.control.entriesOf('completion')).at(-1)?.messages);
  expect(asked).toContain(JSON.stringify(ON_WHATSAPP).slice(1, -1));
  expect(asked).not.toContain('**Kitchen');
});

it('checks what the lead would read, too: marks within the words hide nothing', async () => {
  await writeMarkdown('As an AI lan**guage** model, I know no prices.');
  const lead = await world.lead('Deceived');
  await lead.writes('What does a kitchen cost?');
  await world.waitUntil(
    async () => (await world.pool.query('select from llm_runs where error is not null')).rows.length > 0,
    'the answer is refused',
  );
  expect(await messagesOf(world, lead, 'bot')).toEqual([]);
});
