import type { z } from 'zod';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import { type Tx, violatedConstraint } from '../platform/db.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { isMasked, mask } from '../platform/secretCipher.ts';
import { budgetRoutes, type ResumeReplies } from './budgetRoutes.ts';
import { checkCredential } from './checkCredential.ts';
import { keyLocation } from './complete.ts';
import { companyLlms, llmRefusals } from './contract.ts';
import { llmSettingsFor } from './settings.ts';
import { readLlmSettings, resetRefused, testCredential } from './settingsContract.ts';
import { clearRefused, credentialById, hasActiveCredential, nextCredentialId } from './store.ts';

/** Routes of companies' credentials. A key is write-only. */
export function llmRoutes(context: AppContext, resume: ResumeReplies): Route[] {
  const crudRoutes = resource(context, companyLlms, {
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
      test: 't.test',
      tested_at: 't.tested_at',
      refused: 't.refused',
      version: 't.revision',
    },
    search: [],
    scopeCondition: 't.company_id = any($)',
    id: 't.id',
  });

  async function refuseSecondActive(
    tx: Tx,
    { companyId, vendor, self }: { companyId: number; vendor: string; self: number | null },
  ): Promise<void> {
    if (await hasActiveCredential(tx, { companyId, vendor, self }))
      throw refuse(llmRefusals, 'llm.active_taken', { vendor });
  }

  return [
    crudRoutes.list,
    crudRoutes.get,
    withActiveKeyRefusal(
      crudRoutes.create(async (tx, body) => {
        const { credentials, ...rest } = body;
        if (isMasked(credentials.api_key)) throw refuse(llmRefusals, 'llm.key_again');
        if (body.is_active)
          await refuseSecondActive(tx, { companyId: body.company_id, vendor: body.vendor, self: null });
        const id = await nextCredentialId(tx);
        const key = credentials.api_key;
        return {
          id,
          ...rest,
          config: configOf(rest),
          key_mask: mask(key),
          api_key_sealed: context.cipher.encryptSecret(key, keyLocation(id)),
        };
      }),
    ),
    ...crudRoutes
      .replace(async (tx, { before, body }) => {
        if (body.company_id !== before.company_id || body.vendor !== before.vendor)
          throw refuse(llmRefusals, 'llm.company_fixed');
        const { api_key: key } = body.credentials;
        const isNew = !isMasked(key);
        if ((body.config.base_url ?? null) !== (before.config.base_url ?? null) && !isNew)
          throw refuse(llmRefusals, 'llm.key_again');
        if (body.is_active && !before.is_active)
          await refuseSecondActive(tx, { companyId: before.company_id, vendor: before.vendor, self: before.id });
        return {
          config: configOf(body),
          is_active: body.is_active,
          ...(isNew
            ? {
                key_mask: mask(key),
                api_key_sealed: context.cipher.encryptSecret(key, keyLocation(before.id)),
                refused: {},
                test: null,
                tested_at: null,
              }
            : {}),
        };
      })
      .map(withActiveKeyRefusal),
    crudRoutes.remove(),
    ...serverRoutes(context),
    ...budgetRoutes(context, resume),
  ];
}

/** Routes about the server behind a key. */
const serverRoutes = (context: AppContext): Route[] => [
  route(readLlmSettings, async ({ query }) => ok(200, await llmSettingsFor(context, query.company_id))),
  route(testCredential, async ({ params, query, caller, requestId }) =>
    ok(200, await checkCredential(context, { id: params.id, ...query }, { caller, requestId })),
  ),
  route(resetRefused, async ({ params, caller, requestId }) => {
    const { id } = params;
    const credential = await credentialById(context.reader, id);
    if (!credential) throw refuse(commonRefusals, 'not_found', { noun: 'company llm' });
    await context.transact(async (tx) => {
      await clearRefused(tx, id);
      const { company_id: companyId, refused: before } = credential;
      const entry = { action: 'refused parameters reset', noun: 'company_llm', rowId: id, companyId, before };
      await recordAuditEntry(tx, { caller, requestId, ...entry });
    });
    return ok(200, { refused: {} });
  }),
];

/** Omit the base URL when it is the vendor's own. */
const configOf = ({ config }: Pick<z.output<typeof companyLlms.update>, 'config'>): object =>
  config.base_url ? config : {};

/** Turn a violation of the unique index into the same refusal. The index decides between concurrent writes. */
function withActiveKeyRefusal(route: Route): Route {
  return {
    ...route,
    handle: async (call) => {
      try {
        return await route.handle(call);
      } catch (error) {
        if (violatedConstraint(error)?.name === 'company_llms_active')
          throw refuse(llmRefusals, 'llm.active_taken', { vendor: 'this vendor' });
        throw error;
      }
    },
  };
}
