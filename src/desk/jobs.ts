/** Sweeps of the inbox. */
import { changeDialogues } from '../engine/steps/changeDialogues.ts';
import type { Sweep } from '../jobs/sweeps.ts';
import { notify } from '../platform/notifications.ts';
import { ALERTS_SWEEP, pushAlerts } from './alerts/sendPushes.ts';
import { deleteOldAlerts } from './alerts/store/alerts.ts';
import { ALERTS_DUE_IN } from './alerts/store/pushes.ts';
import { returnDueDialogues } from './returnToBot.ts';
import { foldCounts, lockEndedSnoozes, RETURNS_DUE_IN, SNOOZES_DUE_IN } from './store.ts';

const SNOOZES = 500;
const FOLD_EVERY_MS = 60_000;
const DELETE_OLD_ALERTS_MS = 3_600_000;

export const deskSweeps: readonly Sweep[] = [
  {
    name: 'snoozes',
    dueIn: () => SNOOZES_DUE_IN,
    async run(context) {
      const ended = await context.transact(async (tx) => {
        const dialogueIds = await lockEndedSnoozes(tx, SNOOZES);
        for (const { id, productId: product } of await changeDialogues(tx, { dialogueIds }, { kind: 'snooze_ended' }))
          notify(tx, { topic: 'dialogue', product, ids: [id] });
        return dialogueIds.length;
      });
      return ended === SNOOZES;
    },
  },
  { name: 'returns', dueIn: () => RETURNS_DUE_IN, run: returnDueDialogues },
  { name: ALERTS_SWEEP, dueIn: () => ALERTS_DUE_IN, run: pushAlerts },
  {
    name: 'old alerts',
    dueIn: null,
    async run({ reader }) {
      await deleteOldAlerts(reader);
      return DELETE_OLD_ALERTS_MS;
    },
  },
  {
    name: 'inbox counts',
    dueIn: null,
    async run({ reader }) {
      await foldCounts(reader);
      return FOLD_EVERY_MS;
    },
  },
];
