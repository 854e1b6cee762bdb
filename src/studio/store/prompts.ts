/** SQL of the prompts that cases and runs try. */
import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';
import type { PromptType } from '../../prompts/contract.ts';

/** A prompt with its newest text, and what is live. */
export interface TriedPrompt {
  readonly id: number;
  readonly product_id: number;
  readonly name: string;
  readonly type: PromptType;
  readonly text: string;
  readonly version: number;
  /** Null: nothing is live. */
  readonly live_text: string | null;
  readonly live_version: number | null;
}

/** What is saved is live. */
export async function readTriedPrompt(reader: Reader, id: number): Promise<TriedPrompt | undefined> {
  const { rows } = await sql<TriedPrompt>`
    select id, product_id, name, type, text, version, text as live_text, version as live_version
      from prompts where id = ${id}`.execute(reader);
  return rows[0];
}
