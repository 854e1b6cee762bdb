/** SQL of gates as evidence. */
import { sql } from 'kysely';
import type { Reader } from '../../platform/db.ts';
import { GATE_REPEATS } from '../runContract.ts';

interface NewestGate {
  readonly run_id: number;
  readonly state: string | null;
  /** The cases that it tried, as they were. */
  readonly cases: readonly { readonly case_id: number; readonly revision: number }[];
  readonly red: { case_id: number; name: string; reasons: string[] }[];
}

/**
 * Read the newest ended gate of a text against what is live; undefined if there is none. One with too few repeats can only
 * be evidence against the text.
 */
export async function findNewestGate(
  reader: Reader,
  tried: { promptId: number; text: string; liveText: string | null; vendor: string; model: string },
): Promise<NewestGate | undefined> {
  const { rows } = await sql<NewestGate>`
    select r.id as run_id, r.verdict->>'state' as state,
           coalesce((select json_agg(json_build_object('case_id', x.case_id, 'revision', x.input->'revision'))
                       from studio_subjects x where x.run_id = r.id), '[]') as cases,
           coalesce((select json_agg(json_build_object('case_id', x.case_id, 'name', x.name, 'reasons', x.result->'reasons') order by x.id)
                       from studio_subjects x where x.run_id = r.id and x.state = 'red'), '[]') as red
      from studio_runs r
     where r.prompt_id = ${tried.promptId} and r.kind = 'gate' and r.finished_at is not null and r.text = ${tried.text}
       and r.live_text is not distinct from ${tried.liveText} and r.model_vendor = ${tried.vendor} and r.model_name = ${tried.model}
       and (r.repeats >= ${GATE_REPEATS} or r.verdict->>'state' = 'red')
     order by r.id desc limit 1`.execute(reader);
  return rows[0];
}
