/** A valid call of every endpoint: it is answered, and what it changed is in the audit log. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CompanyRowIds, createCompanyWithEveryResource } from '../../testing/everyResource.ts';
import { endpointTitle, IMPORT_KEY, sampleOf, sendSample } from '../../testing/sampleRequests.ts';
import { createWorld, type World } from '../../testing/world.ts';
import type { Endpoint } from '../contract.ts';

/**
 * Endpoints that end the session, need a vendor's key or a connected account, or do not exist at any vendor. Each has a
 * test of its own.
 */
const ELSEWHERE = [
  'POST /v1/auth/logout',
  // These need a second factor, a passkey or another session: see secondFactors.test.ts.
  'DELETE /v1/auth/sessions/{session}',
  'POST /v1/auth/confirm/passkey',
  'POST /v1/auth/second-factors/authenticator',
  'POST /v1/auth/second-factors/authenticator/confirm',
  'DELETE /v1/auth/second-factors/authenticator',
  'POST /v1/auth/second-factors/recovery-codes',
  'POST /v1/auth/second-factors/passkeys/options',
  'POST /v1/auth/second-factors/passkeys',
  'DELETE /v1/auth/second-factors/passkeys/{passkey}',
  'PUT /v1/auth/policy',
  'POST /v1/alerts/test',
  'POST /v1/llm/generate',
  'POST /v1/studio/personas/derive',
  'POST /v1/dialogues/{id}/summary',
  'POST /v1/dialogues/{id}/suggest-reply',
  'GET /v1/channels/{id}/pairing-link',
  'GET /v1/amocrm/oauth/start',
  'GET /v1/crm-integrations/{id}/directory',
  'POST /v1/crm-integrations/{id}/sync',
  'POST /v1/crm-integrations/{id}/disconnect',
  'POST /v1/amocrm/actions/change_status',
  'POST /v1/amocrm/actions/create_lead',
];

/** Report whether the endpoint changes one row: replace.test.ts makes one call of each. */
const isChange = ({ method, path, versioned }: Endpoint, all: readonly Endpoint[]): boolean =>
  versioned &&
  path.includes('{') &&
  (method === 'PUT' || method === 'PATCH') &&
  all.some((one) => one.method === 'PUT' && one.path === path);

let world: World;
let endpoints: readonly Endpoint[];
let admin: Record<string, string>;
beforeAll(async () => {
  world = await createWorld({ env: { RAPPORT_ROLES: 'web' } });
  const all = world.app?.routes.map((one) => one.endpoint) ?? [];
  endpoints = all.filter(
    (one) =>
      ['session', 'admin'].includes(one.access) &&
      !one.socket &&
      !ELSEWHERE.includes(endpointTitle(one)) &&
      !isChange(one, all),
  );
  admin = { cookie: (await world.operator('root')).cookie, origin: world.url };
});
afterAll(() => world.close());

/**
 * Prepare what a call needs besides a company with a row of every resource. Returns the ids that replace those rows'
 * ids.
 */
type Ready = (rows: CompanyRowIds, name: string) => Promise<Record<string, number>>;

async function ask(text: string, ...values: unknown[]): Promise<number> {
  const { rows } = await world.pool.query<{ id: string }>(text, values);
  return Number(rows[0]?.id ?? 0);
}
const withoutUses: Ready = async (rows) => {
  await ask('delete from document_prompts where product_id = $1', rows['product']);
  await ask('delete from classification_configs where product_id = $1', rows['product']);
  return {};
};
const unlinked: Ready = async (rows) => {
  await ask('delete from product_channels where channel_id = $1', rows['channel']);
  return {};
};
const scheduled: Ready = async (rows) => {
  await ask(
    "update messages set status = 'scheduled', scheduled_at = now() + interval '1 day' where id = $1",
    rows['message'],
  );
  return {};
};
/** Select the product with a schedule and a ping configuration. */
const settled: Ready = async (_rows, name) => {
  const product = await ask('select id from products where name = $1', `${name} settled`);
  const prompt = await ask(
    "insert into prompts (product_id, name, type, text) values ($1, 'Ping', 'ping', 'Write.') returning id",
    product,
  );
  return { product, prompt };
};
const unused: Ready = async (rows) => {
  await ask('delete from product_integrations where crm_integration_id = $1', rows['crm_integration']);
  return {};
};
const integrated: Ready = async (rows) => {
  await ask(
    `insert into product_integrations (product_id, crm_integration_id, company_id, config) values ($1, $2, $3,
       '{"import_enabled": true, "tg_contact_custom_field_name": "telegram",
         "whatsapp_contact_custom_field_name": "whatsapp", "pipelines": []}')`,
    rows['product'],
    rows['crm_integration'],
    rows['company'],
  );
  return {};
};

/** Let the lead have written a message that could not be classified. */
const unclassified: Ready = async (rows) => {
  await ask('update dialogues set turn = 1 where id = $1', rows['dialogue']);
  await ask(
    "insert into classifications (product_id, dialogue_id, turn, state) values ($1, $2, 1, 'failed')",
    rows['product'],
    rows['dialogue'],
  );
  return {};
};

const undetected: Ready = async (rows) => {
  await ask('delete from classification_configs where product_id = $1', rows['product']);
  return {};
};
const refusedByCrm: Ready = async (rows) => {
  await ask(
    `insert into hand_overs (product_id, dialogue_id, lead_id, turn, reason, due_at, crm_state)
     values ($1, $2, $3, 1, 'asked_for_human', now(), 'failed')`,
    rows['product'],
    rows['dialogue'],
    rows['lead'],
  );
  return {};
};

/** Start the experiment, and stop it if it is to be applied. */
const started =
  (state: 'running' | 'stopped'): Ready =>
  async (rows) => {
    const { experiment } = rows;
    await ask(
      `update experiments set state = 'running', started_at = domain_now(), check_at = domain_now() + interval '1 day', arm_states = (
         select jsonb_agg(jsonb_build_object('stopped_at', null, 'stopped_reason', null, 'content',
                  a->'content' || '{"kind": "model"}')) from jsonb_array_elements(arms) a)
        where id = $1`,
      experiment,
    );
    if (state === 'stopped')
      await ask(
        "update experiments set state = 'stopped', stopped_at = domain_now(), check_at = null where id = $1",
        experiment,
      );
    return {};
  };

/** Let another version be live than the prompt's only one. */
const publishedBefore: Ready = async (rows) => {
  const { prompt } = rows;
  await ask("insert into prompt_versions (prompt_id, version, text) values ($1, 2, 'Another')", prompt);
  await ask(
    `insert into prompt_publications (prompt_id, version, kind, previous_version, returns_to)
     select prompt_id, 2, 'published', 1, id from prompt_publications where prompt_id = $1`,
    prompt,
  );
  await ask("update prompts set live_version = 2, live_text = 'Another' where id = $1", prompt);
  return {};
};

const READY: Readonly<Record<string, Ready>> = {
  'POST /v1/products/{id}/stage-detection': undetected,
  'POST /v1/inbox/reopen': async ({ dialogue }) => {
    await ask('update dialogues set done_at = domain_now() where id = $1', dialogue);
    return {};
  },
  'DELETE /v1/auth/second-factors/wrong-codes': async () => {
    await ask(
      "insert into second_factor_guesses (operator_id, wrong, is_noticed) select id, 5, true from operators where login = 'root'",
    );
    return {};
  },
  'POST /v1/dialogues/{id}/hand-over/retry': refusedByCrm,
  'POST /v1/ignored-items/{id}/lead': async (rows) => {
    await ask(
      'update product_channels set inbound_enabled = true where product_id = $1 and channel_id = $2',
      rows['product'],
      rows['channel'],
    );
    return {};
  },
  'DELETE /v1/channels/{id}': async (_rows, name) => ({
    channel: await ask(
      `insert into channels (account_id, name, vendor, channel_type, vendor_ref)
       select id, $1, vendor, 'whatsapp', $1 from vendor_accounts order by id limit 1 returning id`,
      `${name} spare`,
    ),
  }),
  'POST /v1/leads/{id}/lift-opt-out': async ({ product }, name) => ({
    lead: await ask(
      'insert into leads (product_id, name, recognized_deactivation_request) values ($1, $2, true) returning id',
      product,
      `${name} asked`,
    ),
  }),
  'DELETE /v1/crm-integrations/{id}': unused,
  'DELETE /v1/companies/{id}': async () => ({
    company: await ask("insert into companies (name) values ('Bare') returning id"),
  }),
  'DELETE /v1/products/{id}': settled,
  'DELETE /v1/prompts/{id}': withoutUses,
  'DELETE /v1/product_integrations/{product_id}/{crm_integration_id}': integrated,
  'GET /v1/product_integrations/{product_id}/{crm_integration_id}': integrated,
  'GET /v1/ping-configs/for-product/{product_id}': settled,
  'GET /v1/schedules/for-product/{product_id}': settled,
  'PATCH /v1/messages/{id}': scheduled,
  'POST /v1/messages/{id}/send-now': scheduled,
  'POST /v1/classification-configs/': settled,
  'POST /v1/dialogues/{id}/classify': unclassified,
  'POST /v1/dialogues/classify-all': unclassified,
  'POST /v1/dialogues/': async (rows) => ({
    contact: await ask(
      `insert into contacts (lead_id, product_id, contact, contact_type, address)
       values ($1, $2, '79990000000', 'whatsapp', '79990000000') returning id`,
      rows['lead'],
      rows['product'],
    ),
  }),
  'POST /v1/product-channels/': unlinked,
  'POST /v1/channels/{id}/resume-firsts': async (rows) => {
    await ask(
      "update channels set first_messages_stopped_at = domain_now(), first_messages_stopped_reason = 'Silent' where id = $1 returning id",
      rows['channel'],
    );
    return {};
  },
  'POST /v1/products/{id}/outreach/resume': async (rows) => {
    await ask(
      "update products set outreach_paused_at = domain_now(), outreach_paused_by = 'ada' where id = $1 returning id",
      rows['product'],
    );
    return {};
  },
  'POST /v1/prompts/{id}/publish': publishedBefore,
  'POST /v1/prompts/{id}/rollback': publishedBefore,
  'POST /v1/experiments/{id}/stop': started('running'),
  'POST /v1/experiments/{id}/apply': started('stopped'),
  'POST /v1/studio/runs/': async () => {
    await ask(
      "insert into llm_prices (vendor, model, input_per_million, output_per_million) values ('chatgpt', 'gpt-4o-mini', 1, 1) on conflict do nothing",
    );
    return {};
  },
  'POST /v1/studio/runs/{id}/cancel': async (rows) => {
    await ask("update studio_runs set state = 'queued', finished_at = null where id = $1", rows['studio_run']);
    return {};
  },
  'POST /v1/leads/import/undo': async (rows) => {
    await ask(
      `with i as (insert into lead_imports (product_id, import_key, name) values ($1, $2, 'file.csv') returning id)
       insert into leads (product_id, name, import_id) select $1, 'From a file', id from i`,
      rows['product'],
      IMPORT_KEY,
    );
    return {};
  },
};

/** Writes by their method alone: they change nothing. The webhook of the sandbox's account is registered already. */
const NO_WRITES = [
  'POST /v1/outreach/consequences',
  'POST /v1/leads/bulk/count',
  'POST /v1/message-troubles/count',
  'POST /v1/prompts/render',
  'POST /v1/studio/runs/estimate',
  'POST /v1/channels/pairing',
  'POST /v1/dialogues/{id}/presence',
  'POST /v1/channels/{id}/webhook/create',
];

it('answers a valid call of every endpoint with its media type, and records each write in the audit log', async () => {
  const refused: string[] = [];
  const untold: string[] = [];
  const untyped: string[] = [];
  for (const [index, one] of endpoints.entries()) {
    const name = `Trail ${index}`;
    const rows = await createCompanyWithEveryResource(world.pool, name);
    const ids = { ...rows, ...(await READY[endpointTitle(one)]?.(rows, name)) };
    const answer = await sendSample(
      world.url,
      one,
      sampleOf(one, (resource) => ids[resource] ?? 1),
      admin,
    );
    if (answer.status >= 300) refused.push(`${endpointTitle(one)}: ${answer.status} ${answer.text.slice(0, 200)}`);
    const media = (answer.headers.get('content-type') ?? 'none').split(';')[0];
    if (answer.text !== '' && media !== one.media) untyped.push(`${endpointTitle(one)}: ${media}`);
    if (one.method === 'GET' || NO_WRITES.includes(endpointTitle(one)) || answer.status >= 300) continue;
    const { rowCount } = await world.pool.query('select 1 from audit where request_id = $1 and operator = $2', [
      answer.headers.get('x-request-id'),
      'root',
    ]);
    if (!rowCount) untold.push(endpointTitle(one));
  }
  expect({ refused, untold, untyped }).toEqual({ refused: [], untold: [], untyped: [] });
  expect(Object.keys(READY).filter((key) => !endpoints.some((one) => endpointTitle(one) === key))).toEqual([]);
});
