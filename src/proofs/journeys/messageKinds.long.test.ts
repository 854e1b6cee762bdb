/** What operators see of messages that are more than words: every kind, edited, deleted, and why nobody answers. */
import { expect, it } from 'vitest';
import { kindLabel, kindsOfRole, placeholderOf } from '../../channels/messageKindContract.ts';
import { createLead, writeAs } from './calls.ts';
import { query, setUpJourney } from './journeySetup.ts';
import { bubble, threadOf } from './locators.ts';
import { SCREENS } from './screens.ts';
import { expectPage } from './signIn.ts';
import { goTo, startOperator } from './start.ts';

setUpJourney();

const KINDS = (['turn', 'sign', 'activity', 'call', 'order', 'payment', 'unreadable'] as const)
  .flatMap((role) => kindsOfRole(role))
  .filter((kind) => kind !== 'text' && kind !== 'unknown');

/** Store a lead's message beside the one that it has written. */
const store = (dialogueId: number, columns: Readonly<Record<string, unknown>>) => {
  const names = Object.keys(columns);
  return query(
    `insert into messages (product_id, contact_id, dialogue_id, channel_id, side, author, status, ${names.join(', ')})
     select product_id, contact_id, id, channel_id, 'user', 'lead', 'inbound', ${names.map((_name, at) => `$${at + 2}`).join(', ')}
       from dialogues where id = $1`,
    [dialogueId, ...Object.values(columns)],
  );
};

it.each(['light', 'dark'] as const)(
  'shows each kind by its name, and what became of messages, in %s',
  async (scheme) => {
    const { context, page } = await startOperator({ ...SCREENS.wide, scheme });
    const lead = await createLead(context, `Kinds ${scheme}`);
    await writeAs(context, lead, 'How long does delivery take?');
    const { dialogueId } = lead;
    for (const kind of KINDS) await store(dialogueId, { kind, message: placeholderOf(kind) });
    await store(dialogueId, { kind: 'unknown', message: '[unknown kind: hologram]' });
    await store(dialogueId, { kind: 'text', message: 'First words', ext_id: `first ${scheme}` });
    await store(dialogueId, { kind: 'reaction', message: '👍', refers_to_ext_id: `first ${scheme}` });
    await store(dialogueId, { kind: 'text', message: 'It was taken back', deleted_at: new Date() });
    const earlier_texts = JSON.stringify([{ text: 'Four metres', replaced_at: new Date().toISOString() }]);
    await store(dialogueId, { kind: 'text', message: 'Five metres', edited_at: new Date(), earlier_texts });
    await query(
      "update dialogues set quiet_reason = 'closing', turn_due_at = null, no_answer = null, last_user_msg_at = now() + interval '1 hour' where id = $1",
      [dialogueId],
    );
    for (const size of [SCREENS.wide, SCREENS.narrow]) {
      await page.setViewportSize(size);
      await goTo(page, `dialogue-chat&dialogueId=${dialogueId}`);
      const thread = threadOf(page);
      await expectPage(bubble(page, 'Five metres')).toContainText('Edited');
      await expectPage(bubble(page, 'It was taken back')).toContainText(`Deleted by ${lead.name}`);
      await expectPage(bubble(page, '👍')).toContainText('First words');
      await expectPage(bubble(page, '[unknown kind: hologram]')).toContainText('Message of an unknown kind');
      await page.getByRole('button', { name: /show the earlier text/ }).click();
      await expectPage(page.getByRole('dialog', { name: 'Earlier text' })).toContainText('Four metres');
      await page.keyboard.press('Escape');
      await expectPage(page.getByText('No answer needed: the lead only ended')).toHaveCount(1);
      const isWide = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect(isWide).toBe(false);
      for (const kind of KINDS.slice(-3)) await expectPage(thread).toContainText(kindLabel(kind) ?? '');
    }
  },
);
