/** Loads dialogues as values, without their messages. */
import { sql } from 'kysely';
import type { Tx } from '../../platform/db.ts';
import type { Dialogue } from '../rules/dialogue.ts';
import type { Now } from '../rules/message.ts';
import { toDialogue, WHOLE_DIALOGUE } from './columns.ts';
import { CLOCKS, isOf, type Where } from './load.ts';

export interface LoadedDialogue {
  readonly id: number;
  readonly productId: number;
  readonly leadId: number;
  readonly state: Dialogue;
}

export interface LoadedDialogues {
  readonly now: Now;
  readonly dialogues: readonly LoadedDialogue[];
}

/** Load dialogues, and lock them in order of their ids. */
export async function loadDialogues(tx: Tx, where: Where): Promise<LoadedDialogues> {
  const { rows } = await sql<{ id: number; product_id: number; lead_id: number; domain: number; real: number }>`
    select d.id, d.product_id, c.lead_id, ${WHOLE_DIALOGUE}, ${CLOCKS} from dialogues d join contacts c on c.id = d.contact_id where ${isOf(where)} order by d.id for update of d`.execute(
    tx,
  );
  const [first] = rows;
  return {
    now: { domain: Math.floor(first?.domain ?? 0), real: Math.floor(first?.real ?? 0) },
    dialogues: rows.map((row) => ({
      id: row.id,
      productId: row.product_id,
      leadId: row.lead_id,
      state: toDialogue({ ...row }),
    })),
  };
}
