/** From a bad answer to a better prompt: test case, draft, replay, publish; rolled back with one click; blocked by the gate. */
import type { BrowserContext, Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { listStudioResults } from '../../studio/runContract.ts';
import { expectHeading, expectTexts, press } from './actions.ts';
import { call, createLead, demoProduct, type JourneyLead, writeAs } from './calls.ts';
import { countActions, insert } from './countedActions.ts';
import { query, setUpJourney } from './journeySetup.ts';
import { bubble, button, dialogOf, field, main, row } from './locators.ts';
import { expectPage } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

setUpJourney({ withoutOutreach: true });

/** What the peer needs: a test case, a draft, a replay and the publication. */
const MOST_CLICKS = 10;
const BETTER = 'Say nothing of other makers.';

async function setGate(context: BrowserContext, gate: 'off' | 'warn' | 'block'): Promise<number> {
  const { productId } = await demoProduct(context);
  await call(context, 'PATCH', `/v1/products/${productId}`, { config: { gate } });
  return productId;
}

/** The version of the prompt that wrote the answer to what a lead writes now. */
async function versionOfAnswer(context: BrowserContext, lead: JourneyLead, text: string): Promise<unknown> {
  await writeAs(context, lead, text);
  let found: Record<string, unknown> | undefined;
  await expectPage(async () => {
    [found] = await query(
      `select a.prompt_version as version from messages q join messages a on a.dialogue_id = q.dialogue_id and a.side = 'bot' and a.id > q.id
        where q.message = $1 and a.prompt_version is not null order by a.id limit 1`,
      [text],
    );
    expect(found).toBeDefined();
  }).toPass({ timeout: 30_000 });
  return found?.['version'];
}

const prompt = async () => {
  const [found] = await query(
    `select id::int, name, version, live_version as live from prompts
      where type = 'prompt' and group_id is null and name = 'Kitchen consultant' order by id limit 1`,
  );
  return z.object({ id: z.int(), name: z.string(), version: z.int(), live: z.int() }).parse(found);
};

const editor = (page: Page) => page.getByRole('textbox', { name: 'Text of the prompt' });

it('takes ten clicks from a bad answer to a prompt that was tried on real dialogues, and one back', {
  timeout: 240_000,
}, async () => {
  const { context, page } = await startOperator();
  await setGate(context, 'warn');
  const before = await prompt();
  const counter = await countActions(context);
  const [dialogue] = await query(`select d.id from dialogues d join contacts c on c.id = d.contact_id
    join leads l on l.id = c.lead_id where l.name = 'Anna Snegurkina'`);
  await goTo(page, `dialogue-chat&dialogueId=${String(dialogue?.['id'])}`);
  const answer = bubble(page, 'Fronts in oak, ash and lacquer');
  await expectPage(answer).toBeVisible();
  counter.reset();

  await answer.getByRole('button', { name: /Kitchen consultant/ }).click();
  await press(page, 'Never this', 'was made');
  await page.getByRole('link', { name: 'Open in the playground' }).click();
  await expectPage(editor(page)).toContainText('You are Vera');
  await editor(page).click({ position: { x: 40, y: 10 } });
  await insert(page, `${BETTER} `);
  await press(main(page), 'Save draft', `Draft: version ${before.version + 1}`);
  await press(main(page), 'Start a run');
  const form = dialogOf(page, 'Start a run');
  await form.getByText('Replay', { exact: true }).click();
  await expectTexts(form, /calls/);
  await form.getByRole('button', { name: 'Start', exact: true }).click();
  await expectHeading(page, 'Replay: Kitchen consultant');
  const publish = button(main(page), `Publish version ${before.version + 1}…`);
  await expectPage(publish).toBeVisible({ timeout: 120_000 });
  await publish.click();
  const dialog = dialogOf(page, /^Publish version/);
  await expectTexts(dialog, BETTER);
  await dialog.getByRole('button', { name: /^Publish/ }).click();
  await expectPage(page.getByText(`Version ${before.version + 1} is live`)).toBeVisible();
  const { clicks } = counter.read();
  expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);

  // It was tried on thirty dialogues or more, and leads get it from the next answer on.
  const runId = new URL(page.url()).searchParams.get('runId');
  const results = await call(context, 'GET', `${listStudioResults.path.replace('{id}', String(runId))}?limit=100`);
  const { items } = z
    .object({ items: z.array(z.object({ subject: z.object({ dialogue_id: z.int() }) })) })
    .parse(results);
  expect(new Set(items.map(({ subject }) => subject.dialogue_id)).size).toBeGreaterThanOrEqual(30);
  expect(await prompt()).toMatchObject({ version: before.version + 1, live: before.version + 1 });
  const lead = await createLead(context, 'Greta Nordin');
  expect(await versionOfAnswer(context, lead, 'Hello, what does a kitchen cost?')).toBe(before.version + 1);

  await goTo(page, `prompt-detail&promptId=${before.id}`);
  await expectPage(button(page, `Roll back to version ${before.live}`)).toBeVisible();
  counter.reset();
  await press(page, `Roll back to version ${before.live}`, `Version ${before.live} is live`);
  expect(counter.read().clicks).toBe(1);
  expect(await versionOfAnswer(context, lead, 'And how long does it take?')).toBe(before.live);
});

it('publishes what the gate blocks only with a reason, which is in the audit log', { timeout: 120_000 }, async () => {
  const { context, page } = await startOperator();
  const productId = await setGate(context, 'block');
  const { id } = await prompt();
  await call(context, 'POST', '/v1/studio/cases/', {
    product_id: productId,
    prompt_id: id,
    history: [{ side: 'user', text: 'How much does a kitchen cost?' }],
    requirements: [{ kind: 'contains', text: 'no such words' }],
  });
  await goTo(page, `prompt-detail&promptId=${id}`);
  await expectPage(editor(page)).toContainText('You are Vera');
  await editor(page).click({ position: { x: 40, y: 10 } });
  await insert(page, 'Be very brief. ');
  await press(page, 'Save draft');
  await press(page, 'Publish…');
  const dialog = dialogOf(page, /^Publish version/);
  const anyway = dialog.getByRole('button', { name: 'Publish anyway' });
  await expectPage(anyway).toBeDisabled();
  const { version, live } = await prompt();
  const refused = await context.request.post(`${new URL(page.url()).origin}/v1/prompts/${id}/publish`, {
    data: { version },
    headers: { origin: new URL(page.url()).origin },
  });
  expect([refused.status(), await refused.json()]).toMatchObject([409, { checks: { state: 'missing' } }]);
  expect((await prompt()).live).toBe(live);
  await field(dialog, 'Reason').fill('The showroom has moved');
  await anyway.click();
  await expectPage(page.getByText(`Version ${version} is live`)).toBeVisible();
  await goTo(page, 'system&tab=audit&noun=prompt&action=published');
  const entry = row(page, 'Kitchen consultant').first();
  await expectPage(entry).toContainText('demo');
  await press(entry, 'View change');
  await expectTexts(dialogOf(page, 'What changed'), 'The showroom has moved');
});
