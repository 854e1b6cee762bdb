/**
 * Holds every transaction of the product against what the plan of a lead reads: one that changes any of it must have the plan
 * evaluated. It is in all databases of tests, so that each way in which the product writes is held that a test goes. What a
 * test changes by itself has the plan evaluated here.
 */
import pg from 'pg';
import { PLANNED_BY } from '../engine/rules/dialogue.ts';

/** What the plan reads, by table. The texts of a lead's messages read its name and fields. */
export const GUARDED = {
  leads: [
    'name',
    'stage',
    'is_active',
    'timezone',
    'eligible_since',
    'recognized_deactivation_request',
    'human_owner_reason',
    'crm_fields',
  ],
  contacts: ['lead_id', 'address', 'contact_type', 'is_main'],
  dialogues: [...PLANNED_BY, 'is_main', 'contact_id'],
} as const;

const LEAD = {
  leads: '$.id',
  contacts: '$.lead_id',
  dialogues: '(select k.lead_id from contacts k where k.id = $.contact_id)',
} as const;

/** A message that is claimed still waits as far as plans go, and on its way from sent to read it has left. */
const LEFT = `in ('sent', 'delivered', 'read')`;
const MESSAGE_CHANGES = `old.status <> new.status and new.status <> 'sending' and not (old.status ${LEFT} and new.status ${LEFT})`;

const changes = (columns: readonly string[]): string =>
  columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');

const FUNCTION = `
  create schema testing;
  grant usage on schema testing to public;
  create function testing.hold_plan(lead bigint, changed text) returns void language plpgsql as $$
  begin
    if current_setting('application_name') not like 'rapport%' then
      update outreach set next_at = domain_now(), retry_at = null, attempts = 0 where lead_id = lead;
    elsif exists (select from leads where id = lead) and not exists (
      select from outreach where lead_id = lead and age(xmin) <= age(pg_current_xact_id()::xid)
    ) then
      raise exception 'The plan of lead % reads %, which was changed without having it evaluated', lead, changed;
    end if;
  end $$;`;

/** A trigger runs at the end of the transaction: the plan may be made due after what it reads was changed. */
function guard(table: string, event: string, { lead, when }: { lead: string; when: string | null }): string {
  const name = `hold_plan_${event}_${table}`;
  return `
  create function testing.${name}() returns trigger language plpgsql as $$
  begin
    perform testing.hold_plan(${lead}, '${table}');
    return null;
  end $$;
  create constraint trigger ${name} after ${event} on ${table} deferrable initially deferred for each row
    ${when === null ? '' : `when (${when})`} execute function testing.${name}();`;
}

/** Install the guard in a migrated database. */
export async function installPlanGuard(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const row = (table: keyof typeof LEAD, which: 'new' | 'old') => LEAD[table].replace('$', which);
    await client.query(
      [
        FUNCTION,
        ...(['leads', 'contacts', 'dialogues'] as const).map((table) =>
          guard(table, 'update', { lead: row(table, 'new'), when: changes(GUARDED[table]) }),
        ),
        ...(['contacts', 'dialogues'] as const).map((table) =>
          guard(table, 'insert', { lead: row(table, 'new'), when: null }),
        ),
        ...(['contacts', 'dialogues'] as const).map((table) =>
          guard(table, 'delete', { lead: row(table, 'old'), when: null }),
        ),
        guard('messages', 'update', { lead: row('dialogues', 'new'), when: `new.side = 'bot' and ${MESSAGE_CHANGES}` }),
      ].join(''),
    );
  } finally {
    await client.end();
  }
}
