/** Moves leads from `initial` to `started` once their first message has left, however that became known. */

import { changeStages } from '../../leads/changeStage.ts';
import { stageAfterOutbound } from '../../leads/lead.ts';
import type { LeadRow } from '../../leads/store.ts';
import type { Tx } from '../../platform/db.ts';
import { findPartsOfFailed } from '../postgres/load.ts';
import type { Delivery } from '../rules/message.ts';

/** The actor named in the event when a first message was accepted. */
export const STARTED_BY_FIRST_MESSAGE = 'first message';

/** Mark leads started after a message to each has left, unless the first part of the same text reached nobody. */
export async function markStarted(
  tx: Tx,
  left: readonly {
    readonly message: { readonly id: number } & Pick<Delivery, 'part_group'>;
    readonly lead: Pick<LeadRow, 'id' | 'stage'>;
  }[],
): Promise<void> {
  const moved = left.flatMap(({ message, lead }) =>
    stageAfterOutbound(lead.stage) !== lead.stage ? [{ message, lead }] : [],
  );
  const later = moved.flatMap(({ message }) => (message.part_group === null ? [] : [message.id]));
  const reachedNobody = later.length === 0 ? new Set() : await findPartsOfFailed(tx, later);
  const stages = new Map(
    moved.flatMap(({ message, lead }) =>
      reachedNobody.has(message.id) ? [] : [[lead.id, stageAfterOutbound(lead.stage)] as const],
    ),
  );
  await changeStages(tx, {
    changes: [...stages].map(([id, stage]) => ({ id, stage })),
    by: STARTED_BY_FIRST_MESSAGE,
    // Nothing that waits is cancelled for a lead that has been written to.
    cancelPending: () => Promise.resolve(),
  });
}
