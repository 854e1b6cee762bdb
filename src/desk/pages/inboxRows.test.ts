import { describe, expect, it } from 'vitest';
import type { InboxRow } from '../contract.ts';
import { appendRows, arrangeRows, placeRow, removeRow } from './inboxRows.ts';

const ME = 7;

function row(id: number, change: Partial<InboxRow> = {}): InboxRow {
  const at = `2026-11-23T10:0${id}:00.000Z`;
  return {
    id,
    product_id: 1,
    product_name: 'Kitchens',
    contact_id: id,
    channel_id: 1,
    chat_id: null,
    last_user_msg_id: null,
    last_user_msg_at: null,
    last_bot_msg_id: null,
    last_msg_created_at: at,
    skip_ping_for_msg_id: null,
    is_main: true,
    created_at: at,
    owner: 'human',
    owner_reason: null,
    owner_reason_code: 'operator',
    owner_since: at,
    turn_due_at: null,
    no_answer: null,
    quiet_reason: null,
    lead_id: id,
    lead_name: `Lead ${id}`,
    lead_stage: 'ongoing',
    lead_is_active: true,
    contact: '+37120990000',
    channel_name: 'WhatsApp',
    last_message: 'Hello',
    last_message_trouble: null,
    attention: { state: 'waiting_for_human', since: at, due_at: at },
    inbox_state: 'needs_human',
    inbox_at: at,
    assignee_id: null,
    assignee: null,
    snoozed_until: null,
    snoozed_until_reply: false,
    done_at: null,
    return_at: null,
    version: 1,
    ...change,
  };
}

const idsOf = ({ items }: { items: readonly { id: number }[] }) => items.map(({ id }) => id);
const needsMe = { view: 'needs_me', operatorId: ME, productName: 'Kitchens', mayInsert: true } as const;
const loaded = { items: [row(1), row(3), row(5)], total: 3 };

describe('the rows of a view', () => {
  it('puts a dialogue that comes at its place, the longest wait first', () => {
    expect(placeRow(loaded, row(2), needsMe)).toMatchObject({
      items: [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 5 }],
      total: 4,
    });
    expect(idsOf(placeRow(loaded, row(6), needsMe))).toEqual([1, 3, 5, 6]);
  });

  it('puts who waits before what needs nothing, in the views that have both', () => {
    const mine = { ...needsMe, view: 'mine' } as const;
    const waiting = (id: number) => row(id, { assignee_id: ME });
    const quiet = (id: number) => row(id, { assignee_id: ME, inbox_state: 'human', attention: null });
    const rows = { items: [waiting(2), waiting(5), quiet(4), quiet(1)], total: 4 };
    expect(idsOf(placeRow(rows, waiting(3), mine))).toEqual([2, 3, 5, 4, 1]);
    expect(idsOf(placeRow(rows, quiet(3), mine))).toEqual([2, 5, 4, 3, 1]);
    expect(idsOf(placeRow(rows, quiet(2), mine))).toEqual([5, 4, 2, 1]);
  });

  it('shows with others what colleagues are to see to', () => {
    const others = { ...needsMe, view: 'others' } as const;
    const none = { items: [], total: 0 };
    expect(idsOf(placeRow(none, row(1, { assignee_id: 8 }), others))).toEqual([1]);
    for (const change of [{ assignee_id: ME }, {}, { assignee_id: 8, inbox_state: 'human' as const }])
      expect(idsOf(placeRow(none, row(1, change), others))).toEqual([]);
  });

  it('takes out what is done, snoozed or somebody else’s', () => {
    expect(placeRow(loaded, row(3, { inbox_state: 'done' }), needsMe)).toMatchObject({ total: 2 });
    expect(idsOf(placeRow(loaded, row(3, { inbox_state: 'snoozed' }), needsMe))).toEqual([1, 5]);
    expect(idsOf(placeRow(loaded, row(3, { assignee_id: 8 }), needsMe))).toEqual([1, 5]);
    expect(idsOf(placeRow(loaded, row(3, { assignee_id: ME }), needsMe))).toEqual([1, 3, 5]);
    expect(idsOf(removeRow(loaded, 1))).toEqual([3, 5]);
  });

  it('only counts a row beyond the loaded ones', () => {
    const part = { items: loaded.items, total: 20 };
    expect(placeRow(part, row(6), needsMe)).toMatchObject({ items: [{ id: 1 }, { id: 3 }, { id: 5 }], total: 21 });
  });

  it('leaves to the server what a search or an unknown product decides', () => {
    expect(placeRow(loaded, row(2), { ...needsMe, mayInsert: false })).toBe(loaded);
    expect(placeRow(loaded, row(2), { ...needsMe, productName: null })).toBe(loaded);
  });

  it('appends a page that overlaps with what is loaded', () => {
    const page = { items: [row(5), row(7)], total: 4 };
    expect(appendRows(loaded, page)).toMatchObject({ total: 4, items: [{}, {}, {}, { id: 7 }] });
  });

  it('moves no row under the pointer', () => {
    const before = arrangeRows([], loaded.items, false);
    const now = [row(0), row(1), row(5)];
    const visible = arrangeRows(before, now, true);
    expect(visible.map(({ row: { id }, hasLeft }) => [id, hasLeft])).toEqual([
      [1, false],
      [3, true],
      [5, false],
      [0, false],
    ]);
    expect(arrangeRows(visible, now, false).map(({ row: { id } }) => id)).toEqual([0, 1, 5]);
  });
});
