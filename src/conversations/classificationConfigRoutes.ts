import type { AppContext } from '../platform/appContext.ts';
import { violatedConstraint } from '../platform/db.ts';
import { type ColumnValues, resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { PRODUCT_SCOPE, readProduct } from '../products/product.ts';
import { readTemplateErrors } from '../prompts/confirmedErrors.ts';
import {
  EmptyVariable,
  type Owner,
  renderMessage,
  renderPrompt,
  TemplateError,
  type TemplateValues,
} from '../prompts/prompt.ts';
import { type CountUses, type PromptReferenceSource, requireSameProduct } from '../prompts/promptReferences.ts';
import { templateErrorText } from '../prompts/templateErrors.ts';
import {
  classificationConfigs,
  classificationResults,
  promptRunRefusals,
  renderForLead,
} from './classificationConfigContract.ts';
import { generateRoute } from './generateRoute.ts';
import { turnOnWithReadyMadePrompts } from './stageDetection.ts';
import { turnOnStageDetection } from './stageDetectionContract.ts';
import {
  countConfigsUsingPrompt,
  findClassificationSettings,
  findConfigIdOfProduct,
  findProductOfConfig,
  findProductOfDialogue,
} from './store/classificationConfigs.ts';
import { loadTemplateValuesForLead } from './templateValues.ts';

/** Count the classification configurations that refer to a prompt. */
export const countClassificationUses: CountUses = async (tx, { resource, id, productId }) => ({
  what: 'classification configuration(s)',
  count: resource === 'prompt' ? await countConfigsUsingPrompt(tx, id, productId) : 0,
});

/** The prompt that classifies a product's dialogues. */
export const classificationPromptUse: PromptReferenceSource = {
  use: 'classification',
  read: async (reader, productId) => {
    const settings = await findClassificationSettings(reader, productId);
    return { promptIds: settings ? [settings.prompt_id] : [], isOn: true };
  },
};

export function conversationPromptRoutes(context: AppContext): Route[] {
  return [...configRoutes(context), ...resultRoutes(context), renderRoute(context), generateRoute(context)];
}

function configRoutes(context: AppContext): Route[] {
  const base = resource(context, classificationConfigs, {
    table: 'classification_configs',
    from: 'classification_configs t',
    select: {
      id: 't.id',
      product_id: 't.product_id',
      config: 't.config',
      created_at: 't.created_at',
      version: 't.revision',
    },
    search: [],
    ...PRODUCT_SCOPE,
    id: 't.id',
  });
  const created = base.create(async (tx, body) => {
    await requireSameProduct(tx, { noun: 'prompt', ids: [body.config.prompt_id], productId: body.product_id });
    if ((await findConfigIdOfProduct(tx, body.product_id)) !== undefined)
      throw refuse(promptRunRefusals, 'classification.exists');
    return body;
  });
  return [
    base.list,
    base.get,
    {
      ...created,
      handle: async (call) => {
        try {
          return await created.handle(call);
        } catch (error) {
          // With two concurrent requests, the unique index decides.
          if (violatedConstraint(error)?.name === 'classification_configs_product_id_key')
            throw refuse(promptRunRefusals, 'classification.exists');
          throw error;
        }
      },
    },
    ...base.replace(async (tx, { before, body }) => {
      if (body.product_id !== before.product_id) throw refuse(promptRunRefusals, 'classification.product_fixed');
      await requireSameProduct(tx, { noun: 'prompt', ids: [body.config.prompt_id], productId: body.product_id });
      return body;
    }),
    base.remove(),
    route(turnOnStageDetection, async ({ params, caller, requestId }) =>
      ok(201, await context.transact((tx) => turnOnWithReadyMadePrompts(tx, params.id, { caller, requestId }))),
    ),
  ];
}

function resultRoutes(context: AppContext): Route[] {
  const base = resource(context, classificationResults, {
    table: 'classification_results',
    from: 'classification_results t',
    select: {
      id: 't.id',
      product_id: 't.product_id',
      dialogue_id: 't.dialogue_id',
      config_id: 't.config_id',
      // Results stored before confirmation existed lack both fields; fill them with null.
      result: `'{"confirmed": null, "confirmation": null}'::jsonb || t.result`,
      created_at: 't.created_at',
    },
    search: [],
    ...PRODUCT_SCOPE,
    id: 't.id',
  });
  return [
    base.list,
    base.get,
    base.create(async (tx, body): Promise<ColumnValues> => {
      const productId = await findProductOfDialogue(tx, body.dialogue_id);
      if (productId === undefined || (await findProductOfConfig(tx, body.config_id)) !== productId)
        throw refuse(commonRefusals, 'not_found', { noun: 'classification configuration' });
      return { ...body, product_id: productId };
    }),
    base.remove(),
  ];
}

function renderRoute(context: AppContext): Route {
  return route(renderForLead, async ({ body }) => {
    const product = await readProduct(context.reader, body.product_id);
    if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
    const values = await loadTemplateValuesForLead(context.reader, product, body.lead_id);
    // A prompt is shown with what was saved, a message as it would be sent.
    const includes = body.kind === 'message' ? 'live' : 'saved';
    const found = await readTemplateErrors(context.reader, { productId: product.id, texts: [body.text], includes });
    const errors = [...new Set(found.map(templateErrorText))];
    const unknown = [...new Set(found.flatMap(({ code, name }) => (code === 'unknown_variable' ? [name] : [])))];
    try {
      const missing =
        body.kind === 'message' ? await findEmptyVariable(context, { product, text: body.text, values }) : null;
      const rendered = await renderPrompt(context, { product, text: body.text, values, includes });
      return ok(200, { text: rendered, error: null, missing, unknown, errors });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      return ok(200, { text: null, error: error.message.slice(0, 500), missing: null, unknown, errors });
    }
  });
}

/** Return the empty variable that would keep the message from being sent; null if there is none. */
async function findEmptyVariable(
  context: AppContext,
  { product, text, values }: { product: Owner; text: string; values: TemplateValues },
): Promise<string | null> {
  try {
    await renderMessage(context, { product, text, values });
    return null;
  } catch (error) {
    if (error instanceof EmptyVariable) return error.variable;
    throw error;
  }
}
