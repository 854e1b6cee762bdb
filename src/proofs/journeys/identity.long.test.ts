/** Chats and people: what a channel ignored, an address that another chat has now, and who may be one person. */
import type { Page } from '@playwright/test';
import { expect, it } from 'vitest';
import { accessibilityViolations } from './accessibility.ts';
import { press, rowAction } from './actions.ts';
import { query, setUpJourney } from './journeySetup.ts';
import { layoutFaults } from './layout.ts';
import { dialogOf } from './locators.ts';
import { SCREENS } from './screens.ts';
import { expectPage } from './signIn.ts';
import { openPage } from './start.ts';

setUpJourney();

/** Check that the open page is accessible and fits on both screens. */
async function fits(page: Page, place: string): Promise<void> {
  const found = [...(await accessibilityViolations(page, place, false)), ...(await layoutFaults(page, place))];
  if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/${place}.png` });
  await page.setViewportSize(SCREENS.narrow);
  found.push(...(await layoutFaults(page, place)));
  if (process.env['PICTURES']) await page.screenshot({ path: `${process.env['PICTURES']}/${place}-narrow.png` });
  await page.setViewportSize(SCREENS.wide);
  expect(found).toEqual([]);
}

it('lists what a channel ignored, and makes a lead of a sender', async () => {
  const [channel] = await query(
    `with h as (select h.* from channels h join product_channels l on l.channel_id = h.id and l.inbound_enabled order by h.id limit 1),
          i as (insert into inbox (account_id, channel_id, kind, ext_id, status, chat_id, item, state, note, ignored_at)
                select account_id, id, 'message', note, 'inbound', note, jsonb_build_object('name', name_of, 'text', text, 'mediaKind', 'text'),
                       'done', note, domain_now()
                  from h cross join (values ('bot', 'Parcels', 'Your parcel has arrived'), ('service', 'Telegram', '')) as v (note, name_of, text))
     select name from h`,
  );
  const { page } = await openPage('channels');
  const name = String(channel?.['name']);
  await rowAction(page, name, 'Show ignored messages');
  const dialog = dialogOf(page, `Ignored messages of ${name}`);
  await expectPage(dialog).toContainText('Your parcel has arrived');
  await expectPage(dialog).toContainText('Not kept: it may be a login code.');
  await fits(page, 'ignored');
  await press(dialog, 'Create lead');
  await expectPage(page.getByText('The sender becomes a lead.')).toBeVisible();
  await expectPage(dialog).not.toContainText('Your parcel has arrived');
});

it('shows where an address went and who may be one person, and lets an operator decide', async () => {
  const [lead] = await query(
    `with d as (select d.id, d.product_id, c.lead_id, row_number() over (order by d.id) as place from dialogues d join contacts c on c.id = d.contact_id
                  where d.product_id = (select min(id) from products)),
          k as (insert into dialogue_links (dialogue_id, product_id, other_id, other_product_id, kind, evidence, detail)
                select one.id, one.product_id, other.id, other.product_id, kind, 'message', detail from d one
                  join (values ('address_moved', 'ann_shop2', 2), ('same_person', '100000000000002@lid', 3)) as v (kind, detail, at) on true
                  join d other on other.place = v.at where one.place = 1)
     select lead_id::int as id from d where place = 1`,
  );
  const { page } = await openPage(`lead-detail&leadId=${String(lead?.['id'])}`);
  await expectPage(page.getByText('ann_shop2 belongs to another chat since')).toBeVisible();
  await expectPage(page.getByText('Maybe the same person')).toBeVisible();
  await fits(page, 'links');
  await press(page, 'Treat as one person');
  await expectPage(page.getByText('Treated as one person')).toBeVisible();
  await press(page, 'Undo');
  await expectPage(page.getByText('Maybe the same person')).toBeVisible();
});

it('lists on the System page what somebody has to look at', async () => {
  const { page } = await openPage('system');
  await expectPage(page.getByText('Dialogues to check')).toBeVisible();
  await fits(page, 'system');
});
