import { sql } from 'kysely';
import type { z } from 'zod';
import { brokenConstraint, type Tx } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { refuse } from '../platform/refuse.ts';
import { isMasked, mask } from '../platform/seal.ts';
import { keyPlace } from './complete.ts';
import { companyLlms, llmRefusals } from './contract.ts';
import { moneyRoutes, type Resume } from './moneyRoutes.ts';
import { llmSettingsFor } from './settings.ts';
import { readLlmSettings, testCredential } from './settingsContract.ts';
import { hasActiveCredential, nextCredentialId } from './store.ts';
import { tryCredential } from './tryCredential.ts';

/** Credentials of companies. The key goes in and never comes out. */
export function llmRoutes(ground: Ground, resume: Resume): Route[] {
  const plain = resource(ground, companyLlms, {
    table: 'company_llms',
    from: 'company_llms t',
    select: {
      id: 't.id',
      company_id: 't.company_id',
      vendor: 't.vendor',
      credentials: "jsonb_build_object('api_key', t.key_mask)",
      config: 't.config',
      is_active: 't.is_active',
      created_at: 't.created_at',
      version: 't.revision',
    },
    search: [],
    within: 't.company_id = any($)',
    id: 't.id',
  });

  async function refuseSecond(tx: Tx, companyId: number, vendor: string, self: number | null): Promise<void> {
    if (await hasActiveCredential(tx, companyId, vendor, self))
      throw refuse(llmRefusals, 'llm.active_taken', { vendor });
  }

  return [
    plain.list,
    plain.get,
    guarded(
      plain.create(async (tx, body) => {
        const { credentials, ...rest } = body;
        if (isMasked(credentials.api_key)) throw refuse(llmRefusals, 'llm.key_again');
        if (body.is_active) await refuseSecond(tx, body.company_id, body.vendor, null);
        const id = await nextCredentialId(tx);
        const key = credentials.api_key;
        return {
          id: sql`${id}`,
          ...rest,
          config: configOf(rest),
          key_mask: mask(key),
          api_key_sealed: ground.seal.close(key, keyPlace(id)),
        };
      }),
    ),
    ...plain
      .replace(async (tx, before, body) => {
        const { api_key: key } = body.credentials;
        const isNew = !isMasked(key);
        if ((body.config.base_url ?? null) !== (before.config.base_url ?? null) && !isNew)
          throw refuse(llmRefusals, 'llm.key_again');
        if (body.is_active && !before.is_active) await refuseSecond(tx, before.company_id, before.vendor, before.id);
        return {
          config: configOf(body),
          is_active: body.is_active,
          ...(isNew ? { key_mask: mask(key), api_key_sealed: ground.seal.close(key, keyPlace(before.id)) } : {}),
        };
      })
      .map(guarded),
    plain.remove(),
    route(readLlmSettings, async ({ query }) => ok(200, await llmSettingsFor(ground, query.company_id))),
    route(testCredential, async ({ params, caller, requestId }) =>
      ok(200, await tryCredential(ground, params.id, { caller, requestId })),
    ),
    ...moneyRoutes(ground, resume),
  ];
}

/** The vendor's own address is not stored. */
const configOf = ({ config }: Pick<z.output<typeof companyLlms.update>, 'config'>): object =>
  config.base_url ? config : {};

/** Two at once: the index decides, and the sentence is the same. */
function guarded(route: Route): Route {
  return {
    ...route,
    handle: async (call) => {
      try {
        return await route.handle(call);
      } catch (error) {
        if (brokenConstraint(error)?.name === 'company_llms_active')
          throw refuse(llmRefusals, 'llm.active_taken', { vendor: 'this vendor' });
        throw error;
      }
    },
  };
}
