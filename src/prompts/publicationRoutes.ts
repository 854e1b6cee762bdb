/** Routes about what is live of a prompt: publishing, rolling back, and what was live before. */
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { Reader, Tx } from '../platform/db.ts';
import { readList } from '../platform/http/listQuery.ts';
import { requireVersion } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { ExpectedVersions } from '../platform/rowVersion.ts';
import { readGate } from '../products/product.ts';
import {
  checkPromptVersion,
  type Prompt,
  type PromptPublication,
  promptOfProduct,
  publicationsOfPrompt,
  publishPrompt,
  rollBackPrompt,
} from './contract.ts';
import { type CheckGate, publishVersion, rollBack } from './publish.ts';
import { findPromptVersion, lockPrompt, newestPrompt } from './store.ts';

/** Read a prompt as the API shows it; null if there is none. */
type ReadPrompt = (reader: Reader, id: number) => Promise<Prompt | null>;

export function publicationRoutes(context: AppContext, read: ReadPrompt, checkGate: CheckGate): Route[] {
  return [
    ...changeRoutes(context, read, checkGate),
    route(checkPromptVersion, async ({ query: { prompt_id: id, version } }) => {
      const prompt = await readOrRefuse(read, context.reader, id);
      const { product_id: productId } = prompt;
      if (!(await findPromptVersion(context.reader, { promptId: id, version, productId })))
        throw refuse(commonRefusals, 'not_found', { noun: 'version of this prompt' });
      const gate = await readGate(context.reader, productId);
      return ok(200, { gate, checks: await context.transact((tx) => checkGate(tx, { prompt, version })) });
    }),
    publicationList(context),
    route(promptOfProduct, async ({ params, query }) => {
      const newest = await newestPrompt(context.reader, params.product_id, query.type);
      if (!newest) throw refuse(commonRefusals, 'not_found', { noun: 'prompt' });
      const { id, version, text } = newest;
      const found = await readOrRefuse(read, context.reader, id);
      if (version === found.version) return ok(200, found);
      const live = await findPromptVersion(context.reader, { promptId: id, version, productId: params.product_id });
      const { author = null, created_at: savedAt = found.saved_at } = live ?? {};
      return ok(200, { ...found, text, version, author, saved_at: savedAt });
    }),
  ];
}

async function readOrRefuse(read: ReadPrompt, reader: Reader, id: number): Promise<Prompt> {
  const found = await read(reader, id);
  if (!found) throw refuse(commonRefusals, 'not_found', { noun: 'prompt' });
  return found;
}

/** A change of what is live of a prompt. */
interface LiveChange extends WriteContext {
  readonly id: number;
  readonly ifMatch: ExpectedVersions | null;
  readonly action: 'published' | 'rolled back';
}

function changeRoutes(context: AppContext, read: ReadPrompt, checkGate: CheckGate): Route[] {
  /** Lock a prompt, let `write` change what is live of it, and record that with the facts it returns, if it did. */
  const change = <F extends object>(
    { id, ifMatch, action, caller, requestId }: LiveChange,
    write: (tx: Tx, before: Prompt) => Promise<F>,
  ): Promise<{ after: Prompt; facts: F }> =>
    context.transact(async (tx) => {
      await lockPrompt(tx, id);
      const before = await readOrRefuse(read, tx, id);
      await requireVersion(tx, { noun: 'prompt', rowId: id, item: before }, ifMatch);
      const facts = await write(tx, before);
      const after = await readOrRefuse(read, tx, id);
      const about = { noun: 'prompt', rowId: id, productId: before.product_id };
      if (after.revision !== before.revision)
        await recordAuditEntry(tx, { caller, requestId, action, ...about, before, after: { ...after, ...facts } });
      return { after, facts };
    });
  return [
    route(publishPrompt, async ({ params: { id }, body, caller, requestId, ifMatch }) => {
      const { version, override_reason: overrideReason = null, confirm_errors: confirmed } = body;
      const done = { id, ifMatch, action: 'published', caller, requestId } as const;
      const { after, facts } = await change(done, (tx, prompt) =>
        publishVersion(tx, { prompt, version, author: caller.login, overrideReason, confirmed }, checkGate),
      );
      return ok(200, { ...after, checks: facts.checks });
    }),
    route(rollBackPrompt, async ({ params: { id }, caller, requestId, ifMatch }) => {
      const done = { id, ifMatch, action: 'rolled back', caller, requestId } as const;
      const { after } = await change(done, (tx, prompt) => rollBack(tx, prompt, caller.login));
      return ok(200, after);
    }),
  ];
}

function publicationList(context: AppContext): Route {
  return route(publicationsOfPrompt, async ({ query }) => {
    const found = await readList<PromptPublication>(context.pool, {
      listing: {
        from: 'prompt_publications t left join prompt_publications r on r.id = t.returns_to',
        select: {
          version: 't.version',
          kind: 't.kind',
          author: 't.author',
          previous_version: 't.previous_version',
          rollback_version: 'r.version',
          override_reason: 't.override_reason',
          checks: 't.checks',
          created_at: 't.created_at',
        },
        conditions: { prompt_id: 't.prompt_id = $' },
        search: [],
        scopeCondition: null,
        id: 't.id',
      },
      query: { ...query, prompt_id: [query.prompt_id] },
      companies: null,
    });
    return ok(200, { ...found, page: query.page, limit: query.limit });
  });
}
