import type { z } from 'zod';
import type { AppContext } from '../platform/appContext.ts';
import { DOMAIN_NOW } from '../platform/clock.ts';
import type { Tx } from '../platform/db.ts';
import type { Caller } from '../platform/http/caller.ts';
import { readList } from '../platform/http/listQuery.ts';
import { type ColumnValues, resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { isSameText } from '../platform/lineEndings.ts';
import { notify } from '../platform/notifications.ts';
import { refuse } from '../platform/refuse.ts';
import { PRODUCT_SCOPE } from '../products/product.ts';
import { requireConfirmedErrors } from './confirmedErrors.ts';
import {
  documentPrompts,
  type Prompt,
  type PromptVersion,
  preparedMessages,
  promptGroups,
  promptRefusals,
  prompts,
  promptsInUse,
  versionsOfPrompt,
} from './contract.ts';
import {
  type CountUses,
  findPromptUses,
  type PromptReferenceSource,
  refuseIfUsed,
  requireSameProduct,
} from './promptReferences.ts';
import { publicationRoutes } from './publicationRoutes.ts';
import { type CheckGate, goesLiveWhenSaved } from './publish.ts';
import { insertPublication } from './store/publications.ts';
import { countDocumentPrompts, countPromptsOfGroup, insertVersion } from './store.ts';

/** Counts the document prompts that refer to a prompt. Other modules count their own uses. */
const documentPromptUses: CountUses = async (tx, { resource: noun, id }) => ({
  what: 'document prompt(s)',
  count: noun === 'prompt' ? await countDocumentPrompts(tx, id) : 0,
});

interface ExternalUses {
  /** Count the settings of other modules that refer to a prompt, prepared message or document prompt. */
  readonly counters: readonly CountUses[];
  readonly referenceSources: readonly PromptReferenceSource[];
  readonly checkGate: CheckGate;
}

export function promptRoutes(context: AppContext, { counters, referenceSources, checkGate }: ExternalUses): Route[] {
  const allUses = [documentPromptUses, ...counters];
  return [
    route(promptsInUse, async ({ params }) =>
      ok(200, { items: await findPromptUses(context.reader, params.product_id, referenceSources) }),
    ),
    ...textRoutes(context, allUses, checkGate),
    ...groupRoutes(context),
    ...preparedRoutes(context, allUses),
    ...documentRoutes(context, allUses),
  ];
}

const refuseProductChange = (
  before: { product_id: number },
  productId: number | undefined,
  resourceName: string,
): void => {
  if (productId !== undefined && productId !== before.product_id)
    throw refuse(promptRefusals, 'prompt.product_fixed', { noun: resourceName });
};

const promptResource = (context: AppContext) =>
  resource(context, prompts, {
    table: 'prompts',
    from: 'prompts t',
    select: {
      id: 't.id',
      text: 't.text',
      name: 't.name',
      product_id: 't.product_id',
      created_at: 't.created_at',
      author: 't.author',
      type: 't.type',
      group_id: 't.group_id',
      rag_description: 't.rag_description',
      version: 't.version',
      revision: 't.revision',
      saved_at: 't.saved_at',
      live_version: 't.live_version',
      live_since: 't.live_since',
    },
    search: ['t.name', 't.text', 't.rag_description'],
    ...PRODUCT_SCOPE,
    id: 't.id',
  });

/** Return the columns of a version that is live as it is saved; none if it is a draft. Refuses (422) its errors. */
async function liveColumns(
  tx: Tx,
  productId: number,
  { version, text, confirmed }: Pick<Prompt, 'version' | 'text'> & { confirmed: readonly string[] | undefined },
): Promise<ColumnValues> {
  if (!(await goesLiveWhenSaved(tx, productId))) return {};
  await requireConfirmedErrors(tx, { productId, texts: [text], confirmed, loc: ['text'] });
  return { live_version: version, live_text: text, live_since: DOMAIN_NOW };
}

/** Record a prompt that was saved, and that its text is live if it is. */
async function afterSave(
  tx: Tx,
  { before, item }: { before: Prompt | null; item: Prompt },
  { login }: Caller,
): Promise<void> {
  if (item.live_version !== null && item.live_version !== before?.live_version)
    await insertPublication(tx, { promptId: item.id, version: item.live_version, kind: 'saved', author: login });
  notify(tx, { topic: 'prompt', product: item.product_id, ids: [item.id] });
}

/** Return the columns to update. A new text is stored as a new version, so old texts are never lost. */
async function changedColumns(
  tx: Tx,
  { before, body }: { before: Prompt; body: z.output<typeof prompts.update> },
  caller: Caller,
): Promise<ColumnValues> {
  refuseProductChange(before, body.product_id, 'prompt');
  const { version, confirm_errors: confirmed, ...fields } = body;
  if (version !== before.version)
    throw refuse(promptRefusals, 'prompt.changed', { author: before.author ?? 'somebody', at: before.saved_at });
  await requireSameProduct(tx, { noun: 'prompt_group', ids: [body.group_id], productId: before.product_id });
  if (isSameText(body.text, before.text)) return { ...fields, text: before.text };
  const next = before.version + 1;
  await insertVersion(tx, { promptId: before.id, version: next, text: body.text, author: caller.login });
  const live = await liveColumns(tx, before.product_id, { version: next, text: body.text, confirmed });
  return { ...fields, ...live, version: next, author: caller.login, saved_at: DOMAIN_NOW };
}

function textRoutes(context: AppContext, uses: readonly CountUses[], checkGate: CheckGate): Route[] {
  const crudRoutes = promptResource(context);
  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(
      async (tx, { confirm_errors: confirmed, ...body }, { caller }) => {
        await requireSameProduct(tx, { noun: 'prompt_group', ids: [body.group_id], productId: body.product_id });
        const live = await liveColumns(tx, body.product_id, { version: 1, text: body.text, confirmed });
        return { ...body, ...live, author: caller.login };
      },
      async (tx, created, { caller }) => {
        await insertVersion(tx, { promptId: created.id, version: 1, text: created.text, author: caller.login });
        await afterSave(tx, { before: null, item: created }, caller);
      },
    ),
    ...crudRoutes.replace(
      (tx, change, { caller }) => changedColumns(tx, change, caller),
      (tx, change, { caller }) => afterSave(tx, change, caller),
    ),
    crudRoutes.remove(async (tx, before) => {
      await refuseIfUsed(tx, { uses, noun: 'prompt', id: before.id, productId: before.product_id });
      notify(tx, { topic: 'prompt', product: before.product_id, ids: [before.id] });
      return undefined;
    }),
    ...publicationRoutes(context, (reader, id) => crudRoutes.read(reader, id), checkGate),
    route(versionsOfPrompt, async ({ query }) => {
      const found = await readList<PromptVersion>(context.pool, {
        listing: {
          from: 'prompt_versions t',
          select: { version: 't.version', text: 't.text', author: 't.author', created_at: 't.created_at' },
          conditions: { prompt_id: 't.prompt_id = $' },
          search: [],
          scopeCondition: null,
          // Include the prompt id, because a version number is only unique within its prompt and paging needs a unique
          // key.
          id: '(t.prompt_id, t.version)',
        },
        query: { ...query, prompt_id: [query.prompt_id] },
        companies: null,
      });
      return ok(200, { ...found, page: query.page, limit: query.limit });
    }),
  ];
}

function groupRoutes(context: AppContext): Route[] {
  const crudRoutes = resource(context, promptGroups, {
    table: 'prompt_groups',
    from: 'prompt_groups t',
    select: {
      id: 't.id',
      product_id: 't.product_id',
      name: 't.name',
      description: 't.description',
      created_at: 't.created_at',
      version: 't.revision',
    },
    search: ['t.name', 't.description'],
    ...PRODUCT_SCOPE,
    id: 't.id',
  });
  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(),
    ...crudRoutes.replace(async (_tx, { before, body }) => {
      refuseProductChange(before, body.product_id, 'prompt group');
      return body;
    }),
    crudRoutes.remove(async (tx, before) => {
      const count = await countPromptsOfGroup(tx, before.id);
      if (count > 0) throw refuse(promptRefusals, 'group.has_prompts', { count });
      return undefined;
    }),
  ];
}

function preparedRoutes(context: AppContext, uses: readonly CountUses[]): Route[] {
  const crudRoutes = resource(context, preparedMessages, {
    table: 'prepared_messages',
    from: 'prepared_messages t',
    select: {
      id: 't.id',
      product_id: 't.product_id',
      name: 't.name',
      type: 't.type',
      message: 't.message',
      is_follow_up: 't.is_follow_up',
      created_at: 't.created_at',
      version: 't.revision',
    },
    search: ['t.name', 't.message'],
    ...PRODUCT_SCOPE,
    id: 't.id',
  });
  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(async (tx, { confirm_errors: confirmed, ...body }) => {
      const { product_id: productId, message: text } = body;
      await requireConfirmedErrors(tx, { productId, texts: [text], confirmed, loc: ['message'] });
      return body;
    }),
    ...crudRoutes.replace(async (tx, { before, body: { confirm_errors: confirmed, ...body } }) => {
      refuseProductChange(before, body.product_id, 'prepared message');
      const { product_id: productId, message: text } = body;
      if (!isSameText(text, before.message))
        await requireConfirmedErrors(tx, { productId, texts: [text], confirmed, loc: ['message'] });
      return body;
    }),
    crudRoutes.remove(async (tx, before) => {
      await refuseIfUsed(tx, { uses, noun: 'prepared_message', id: before.id, productId: before.product_id });
      return undefined;
    }),
  ];
}

function documentRoutes(context: AppContext, uses: readonly CountUses[]): Route[] {
  const crudRoutes = resource(context, documentPrompts, {
    table: 'document_prompts',
    from: 'document_prompts t',
    select: {
      id: 't.id',
      product_id: 't.product_id',
      prompt_id: 't.prompt_id',
      document_type: 't.document_type',
      name: 't.name',
      type: 't.type',
      config: 't.config',
      created_at: 't.created_at',
      version: 't.revision',
    },
    search: ['t.name', 't.document_type'],
    ...PRODUCT_SCOPE,
    id: 't.id',
  });
  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(async (tx, body) => {
      await requireSameProduct(tx, { noun: 'prompt', ids: [body.prompt_id], productId: body.product_id });
      return body;
    }),
    ...crudRoutes.replace(async (tx, { before, body }) => {
      refuseProductChange(before, body.product_id, 'document prompt');
      await requireSameProduct(tx, { noun: 'prompt', ids: [body.prompt_id], productId: body.product_id });
      return body;
    }),
    crudRoutes.remove(async (tx, before) => {
      await refuseIfUsed(tx, { uses, noun: 'document_prompt', id: before.id, productId: before.product_id });
      return undefined;
    }),
  ];
}
