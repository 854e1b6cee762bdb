import { brokenConstraint } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import type { CallerOf } from '../platform/http/caller.ts';
import { resource, type Values } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { readProduct } from '../products/product.ts';
import { type CountUses, mustBelong, type ReferringUse } from '../prompts/known.ts';
import {
  EmptyVariable,
  type Owner,
  renderMessage,
  renderPrompt,
  TemplateError,
  type TemplateValues,
} from '../prompts/prompt.ts';
import { unknownVariables } from '../prompts/templateContract.ts';
import { chatbotRefusals, classificationConfigs, classificationResults, renderForLead } from './contract.ts';
import { generateRoute } from './generate.ts';
import { playgroundRoute } from './playground.ts';
import {
  configOfProduct,
  countClassifications,
  productOfConfig,
  productOfDialogue,
  settingsOfProduct,
} from './store.ts';
import { valuesFor } from './values.ts';

const WITHIN = 't.product_id in (select id from products where company_id = any($))';

/** Classification settings that point to a prompt. */
export const classificationUses: CountUses = async (tx, noun, id, productId) => ({
  what: 'classification configuration(s)',
  count: noun === 'prompt' ? await countClassifications(tx, id, productId) : 0,
});

/** The prompt that classifies a product's dialogues. */
export const classificationPrompts: ReferringUse = {
  use: 'classification',
  read: async (reader, productId) => {
    const settings = await settingsOfProduct(reader, productId);
    return { promptIds: settings ? [settings.prompt_id] : [], isOn: true };
  },
};

/** `callerOf` asks again who is behind the session of an open socket. */
export function chatbotRoutes(ground: Ground, callerOf: CallerOf): Route[] {
  return [
    ...configRoutes(ground),
    ...resultRoutes(ground),
    renderRoute(ground),
    generateRoute(ground),
    playgroundRoute(ground, callerOf),
  ];
}

function configRoutes(ground: Ground): Route[] {
  const plain = resource(ground, classificationConfigs, {
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
    within: WITHIN,
    id: 't.id',
  });
  const created = plain.create(async (tx, body) => {
    await mustBelong(tx, 'prompt', [body.config.prompt_id], body.product_id);
    if ((await configOfProduct(tx, body.product_id)) !== undefined)
      throw refuse(chatbotRefusals, 'classification.exists');
    return body;
  });
  return [
    plain.list,
    plain.get,
    {
      ...created,
      handle: async (call) => {
        try {
          return await created.handle(call);
        } catch (error) {
          // Two at once: the index decides.
          if (brokenConstraint(error)?.name === 'classification_configs_product_id_key')
            throw refuse(chatbotRefusals, 'classification.exists');
          throw error;
        }
      },
    },
    ...plain.replace(async (tx, before, body) => {
      if (body.product_id !== before.product_id) throw refuse(chatbotRefusals, 'classification.product_fixed');
      await mustBelong(tx, 'prompt', [body.config.prompt_id], body.product_id);
      return body;
    }),
    plain.remove(),
  ];
}

function resultRoutes(ground: Ground): Route[] {
  const plain = resource(ground, classificationResults, {
    table: 'classification_results',
    from: 'classification_results t',
    select: {
      id: 't.id',
      product_id: 't.product_id',
      dialogue_id: 't.dialogue_id',
      config_id: 't.config_id',
      // What was kept before anything had to be confirmed says nothing about it.
      result: `'{"confirmed": null, "confirmation": null}'::jsonb || t.result`,
      created_at: 't.created_at',
    },
    search: [],
    within: WITHIN,
    id: 't.id',
  });
  return [
    plain.list,
    plain.get,
    plain.create(async (tx, body): Promise<Values> => {
      const productId = await productOfDialogue(tx, body.dialogue_id);
      if (productId === undefined || (await productOfConfig(tx, body.config_id)) !== productId)
        throw refuse(commonRefusals, 'not_found', { noun: 'classification configuration' });
      return { ...body, product_id: productId };
    }),
    plain.remove(),
  ];
}

function renderRoute(ground: Ground): Route {
  return route(renderForLead, async ({ body }) => {
    const product = await readProduct(ground.reader, body.product_id);
    if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
    const values = await valuesFor(ground.reader, product, body.lead_id);
    const unknown = unknownVariables(body.text).map((one) => one.path);
    try {
      const missing = body.kind === 'message' ? await emptyIn(ground, product, body.text, values) : null;
      const rendered = await renderPrompt(ground, product, body.text, values);
      return ok(200, { text: rendered, error: null, missing, unknown });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      return ok(200, { text: null, error: error.message.slice(0, 500), missing: null, unknown });
    }
  });
}

/** The variable for whose want a message would not be sent; null: it would be. */
async function emptyIn(ground: Ground, product: Owner, text: string, values: TemplateValues): Promise<string | null> {
  try {
    await renderMessage(ground, product, text, values);
    return null;
  } catch (error) {
    if (error instanceof EmptyVariable) return error.variable;
    throw error;
  }
}
