/** The actions on the selected dialogues: assign, snooze, done. */
import { Button } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { call } from '../../ui/api.ts';
import { BulkBar } from '../../ui/BulkBar.tsx';
import { t } from '../../ui/i18n.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import type { Selection } from '../../ui/selection.ts';
import { toast } from '../../ui/toast.ts';
import { assignMany, countInbox, listInbox, markManyDone, reopenMany, snoozeMany } from '../contract.ts';
import { AssignMenu } from './shared/AssignMenu.tsx';
import { SnoozeMenu } from './shared/SnoozeMenu.tsx';
import { readIds } from './useInbox.ts';
import type { InboxState } from './useInboxState.ts';

/** Most dialogues of one call. */
const MOST_OF_A_CALL = 200;
/** Most dialogues that can be selected at once. */
const MOST_SELECTED = 5000;

export default function InboxBulkBar({ inbox, selection }: { inbox: InboxState; selection: Selection }) {
  const [menu, setMenu] = useState<'assign' | 'snooze' | null>(null);
  const ids = [...selection.chosen];
  const productIds = productsOfSelection(inbox, selection);
  const run = async (send: SendPart, undo?: SendPart) => {
    try {
      const affected = await sendParts(ids, send);
      const text = t('{{count}} dialogues changed', {
        count: affected,
        defaultValue_one: '{{count}} dialogue changed',
      });
      if (undo) toast.undoable(text, () => sendParts(ids, undo).finally(refresh));
      else toast.success(text);
      selection.clear();
    } catch (error) {
      toast.failure(error);
    }
    refresh();
  };
  return (
    <BulkBar
      count={ids.length}
      total={inbox.total}
      chooseAll={async () => selection.choose(new Set(await readIds(inbox.query, MOST_SELECTED)))}
      clear={selection.clear}
    >
      {productIds.length > 0 && (
        <AssignMenu
          productIds={productIds}
          opened={menu === 'assign'}
          onOpened={(opened) => setMenu(opened ? 'assign' : null)}
          onAssign={(operatorId) =>
            void run((part) => call(assignMany, { body: { ids: part, operator_id: operatorId } }))
          }
        />
      )}
      <SnoozeMenu
        opened={menu === 'snooze'}
        onOpened={(opened) => setMenu(opened ? 'snooze' : null)}
        onSnooze={({ until, untilReply }) =>
          void run(
            (part) => call(snoozeMany, { body: { ids: part, until, until_reply: untilReply } }),
            // What was snoozed already is not known any more.
            inbox.query.view === 'snoozed' ? undefined : endSnooze,
          )
        }
      />
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconCheck size={14} aria-hidden />}
        onClick={() => void run(markDone, reopen)}
      >
        {t('Done')}
      </Button>
    </BulkBar>
  );
}

type SendPart = (ids: number[]) => Promise<{ affected: number }>;

const markDone: SendPart = (ids) => call(markManyDone, { body: { ids } });
const endSnooze: SendPart = (ids) => call(snoozeMany, { body: { ids, until: null, until_reply: false } });
const reopen: SendPart = (ids) => call(reopenMany, { body: { ids } });

/** Send ids in parts. Returns how many dialogues changed. */
async function sendParts(ids: readonly number[], send: SendPart): Promise<number> {
  let affected = 0;
  for (let at = 0; at < ids.length; at += MOST_OF_A_CALL)
    affected += (await send(ids.slice(at, at + MOST_OF_A_CALL))).affected;
  return affected;
}

function refresh(): void {
  for (const endpoint of [listInbox, countInbox]) void queryClient.invalidateQueries({ queryKey: keyOf(endpoint) });
}

/** Return the products of the selected dialogues, as far as they are loaded; the server checks the others. */
function productsOfSelection({ rows = [], product }: InboxState, { chosen }: Selection): number[] {
  const loaded = new Set(rows.filter(({ id }) => chosen.has(id)).map((row) => row.product_id));
  return loaded.size > 0 ? [...loaded].toSorted((a, b) => a - b) : product ? [product.id] : [];
}
