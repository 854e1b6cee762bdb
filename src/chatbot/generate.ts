import { generate } from '../llm/settingsContract.ts';
import { recordDeed } from '../platform/audit.ts';
import type { Ground } from '../platform/ground.ts';
import { goneSignal } from '../platform/http/goneSignal.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { readProduct } from '../products/product.ts';
import { promptOf, renderPrompt, TemplateError } from '../prompts/prompt.ts';
import { chatbotRefusals } from './contract.ts';
import { speak, UnknownModel } from './speak.ts';
import { valuesFor } from './values.ts';

/** `POST /v1/llm/generate`: one whole answer. */
export function generateRoute(ground: Ground): Route {
  return route(generate, async ({ body, caller, requestId, reply }) => {
    const product = await readProduct(ground.reader, body.product_id);
    if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
    const prompt = body.prompt_id === null ? undefined : await promptOf(ground.reader, body.prompt_id);
    if (body.prompt_id !== null && prompt?.product_id !== product.id)
      throw refuse(commonRefusals, 'not_found', { noun: 'prompt' });
    try {
      const system =
        body.system ??
        (prompt ? await renderPrompt(ground, product, prompt.text, await valuesFor(ground.reader, product, null)) : '');
      const { completion, vendor, model, runId } = await speak(ground, {
        product,
        purpose: body.purpose,
        name: prompt?.name ?? 'generate',
        metadata: prompt ? { prompt_id: prompt.id, prompt_version: prompt.version } : {},
        system,
        messages: [{ role: 'user', content: body.content }],
        vendor: body.vendor,
        model: body.model,
        temperature: body.temperature,
        signal: goneSignal(reply),
      });
      if (completion.kind === 'failed') {
        const code = completion.lasting || completion.paused ? 'generate.refused' : 'generate.failed';
        throw refuse(chatbotRefusals, code, { reason: completion.reason });
      }
      if (runId === null) throw new Error('An answer without a run');
      // Refused when whoever asked may not have it any more.
      await ground.transact((tx) =>
        recordDeed(tx, {
          caller,
          action: 'generated',
          noun: 'llm_run',
          rowId: runId,
          productId: product.id,
          requestId,
        }),
      );
      const usage = { input: completion.inputTokens, output: completion.outputTokens };
      return ok(200, { content: completion.text, vendor, model, usage, run_id: runId });
    } catch (error) {
      if (error instanceof UnknownModel)
        throw refuse(chatbotRefusals, 'generate.unknown_model', { reason: error.message });
      if (error instanceof TemplateError)
        throw refuse(chatbotRefusals, 'generate.template', { reason: error.message.slice(0, 300) });
      throw error;
    }
  });
}
