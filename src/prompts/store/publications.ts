/** SQL of what is live of a prompt, and of each time that a version went live. */
import { sql } from 'kysely';
import type { Reader, Row, Tx } from '../../platform/db.ts';
import type { PromptChecks, PublicationKind } from '../contract.ts';

declare module '../../platform/db.ts' {
  interface Tables {
    prompt_publications: Row<'prompt_publications', { kind: PublicationKind; checks: PromptChecks | null }>;
  }
}

/** A version that goes live. */
export interface NewPublication {
  readonly promptId: number;
  readonly version: number;
  readonly kind: PublicationKind;
  readonly author: string | null;
  /** Why it is published although its checks are not green. */
  readonly override_reason?: string | null;
  readonly checks?: PromptChecks | null;
}

/** Make a stored version live. The prompt must be locked. Returns whether there is such a version. */
export async function setLive(
  tx: Tx,
  { promptId, version }: Pick<NewPublication, 'promptId' | 'version'>,
): Promise<boolean> {
  const { rows } = await sql`
    update prompts p set live_version = v.version, live_text = v.text, live_since = domain_now()
      from prompt_versions v where p.id = ${promptId} and v.prompt_id = p.id and v.version = ${version}
    returning p.id`.execute(tx);
  return rows.length > 0;
}

/** Record that a version has gone live, in place of the one of the last publication. */
export async function insertPublication(
  tx: Tx,
  { promptId, version, kind, author, override_reason: overrideReason = null, checks = null }: NewPublication,
): Promise<void> {
  await sql`
    insert into prompt_publications (prompt_id, version, kind, author, override_reason, checks, previous_version, returns_to)
    select ${promptId}, ${version}, ${kind}, ${author}, ${overrideReason}, ${checks === null ? null : JSON.stringify(checks)}::jsonb,
           last.version, last.id
      from (values (1)) as one left join (
        select id, version from prompt_publications where prompt_id = ${promptId} order by id desc limit 1) as last on true`.execute(
    tx,
  );
}

/** A publication to which a rollback returns. */
export interface RollbackTarget {
  readonly version: number;
  /** The version that is live before the rollback. */
  readonly previous_version: number;
  /** The publication to which the next rollback returns. */
  readonly returns_to: number | null;
}

/** Read what a rollback of a prompt returns to; undefined if nothing was live before. */
export async function findRollbackTarget(reader: Reader, promptId: number): Promise<RollbackTarget | undefined> {
  const { rows } = await sql<RollbackTarget>`
    select target.version, last.version as previous_version, target.returns_to
      from (select * from prompt_publications where prompt_id = ${promptId} order by id desc limit 1) as last
      join prompt_publications target on target.id = last.returns_to`.execute(reader);
  return rows[0];
}

/** Record a rollback. */
export async function insertRollback(
  tx: Tx,
  {
    promptId,
    author,
    target: { version, previous_version: previous, returns_to: returnsTo },
  }: { promptId: number; author: string; target: RollbackTarget },
): Promise<void> {
  await tx
    .insertInto('prompt_publications')
    .values({
      prompt_id: promptId,
      version,
      kind: 'rolled_back',
      author,
      previous_version: previous,
      returns_to: returnsTo,
    })
    .execute();
}
