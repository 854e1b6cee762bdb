/** SQL of what texts are made from, for many leads at once. */
import { sql } from 'kysely';
import type { ContactType, Stage } from '../../leads/contract.ts';
import { newestDocuments } from '../../leads/store.ts';
import type { Reader } from '../../platform/db.ts';
import { idList } from '../../platform/statements.ts';
import { PLAN_STATE } from './outreach.ts';

export interface TextMaterial {
  readonly lead: {
    readonly id: number;
    readonly name: string;
    readonly stage: Stage;
    readonly crm_fields: Record<string, unknown>;
  };
  readonly contactId: number;
  readonly contact: { readonly contact: string; readonly contact_type: ContactType };
  /** The lead's newest document of each type. */
  readonly document: Readonly<Record<string, string>>;
  /** The domain clock, ISO. */
  readonly now: string;
  /** How often making the text has failed. */
  readonly attempts: number;
  /** A token of the lead's plan row that changes with the row. */
  readonly state: string;
}

/** Load what the texts to contacts are made from, in their order. */
export async function loadTextMaterials(
  reader: Reader,
  targets: readonly { readonly leadId: number; readonly contactId: number }[],
): Promise<TextMaterial[]> {
  const { rows } = await sql<TextMaterial>`
    select json_build_object('id', l.id, 'name', l.name, 'stage', l.stage, 'crm_fields', l.crm_fields) as lead, c.id as "contactId",
           json_build_object('contact', c.contact, 'contact_type', c.contact_type) as contact,
           coalesce((select json_object_agg(d.type, d.text) from (${newestDocuments(sql`l.id`)}) as d), '{}') as document,
           domain_now() as now, o.attempts, ${PLAN_STATE} as state
      from unnest(${idList(targets.map(({ leadId }) => leadId))}, ${idList(targets.map(({ contactId }) => contactId))})
             with ordinality as g (lead_id, contact_id, place)
      join leads l on l.id = g.lead_id join contacts c on c.id = g.contact_id and c.lead_id = l.id join outreach o on o.lead_id = l.id
     order by g.place`.execute(reader);
  return rows;
}

/** Read a lead's newest document of a type if this version of a prompt has written it; null if not. */
export async function findDocumentOfPrompt(
  reader: Reader,
  { leadId, type, prompt }: { leadId: number; type: string; prompt: { readonly id: number; readonly version: number } },
): Promise<string | null> {
  const { rows } = await sql<{ text: string }>`
    select btrim(d.document->>'text_data') as text
      from (select * from lead_documents where lead_id = ${leadId} and type = ${type} order by id desc limit 1) as d
     cross join lateral (select r.metadata from llm_runs r
                          where r.lead_id = d.lead_id and r.purpose = 'document' and r.error is null and r.created_at <= d.created_at
                          order by r.id desc limit 1) as r
     where r.metadata->'prompt_id' = to_jsonb(${prompt.id}::bigint) and r.metadata->'prompt_version' = to_jsonb(${prompt.version}::int)
       and btrim(d.document->>'text_data') <> ''`.execute(reader);
  return rows[0]?.text ?? null;
}
