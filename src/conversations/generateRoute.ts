import { generate } from '../llm/settingsContract.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import type { Reader } from '../platform/db.ts';
import { disconnectSignal } from '../platform/http/disconnectSignal.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { readProduct } from '../products/product.ts';
import { readLivePrompt, readPrompt, renderPrompt, TemplateError } from '../prompts/prompt.ts';
import { promptRunRefusals } from './classificationConfigContract.ts';
import { runPrompt, UnknownModelError } from './runPrompt.ts';
import { loadTemplateValuesForLead } from './templateValues.ts';

/** Read a prompt of the product as leads get it. */
async function readOwnPrompt(reader: Reader, id: number, productId: number) {
  if ((await readPrompt(reader, id))?.product_id !== productId)
    throw refuse(commonRefusals, 'not_found', { noun: 'prompt' });
  const live = await readLivePrompt(reader, id);
  if (!live) throw refuse(promptRunRefusals, 'generate.not_published');
  return live;
}

/** `POST /v1/llm/generate`: one complete answer, not streamed. */
export function generateRoute(context: AppContext): Route {
  return route(generate, async ({ body, caller, requestId, reply }) => {
    const product = await readProduct(context.reader, body.product_id);
    if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
    const prompt =
      body.prompt_id === null ? undefined : await readOwnPrompt(context.reader, body.prompt_id, product.id);
    try {
      const system =
        body.system ??
        (prompt
          ? await renderPrompt(context, {
              product,
              text: prompt.text,
              values: await loadTemplateValuesForLead(context.reader, product, null),
            })
          : '');
      const { completion, vendor, model, runId } = await runPrompt(context, {
        product,
        purpose: body.purpose,
        name: prompt?.name ?? 'generate',
        metadata: prompt ? { prompt_id: prompt.id, prompt_version: prompt.version } : {},
        system,
        messages: [{ role: 'user', content: body.content }],
        vendor: body.vendor,
        model: body.model,
        temperature: body.temperature,
        signal: disconnectSignal(reply),
      });
      if (completion.kind === 'failed') {
        const code = completion.isPermanent || completion.paused ? 'generate.refused' : 'generate.failed';
        throw refuse(promptRunRefusals, code, { reason: completion.reason });
      }
      if (runId === null) throw new Error('An answer without a run');
      // Throws if the caller has lost access meanwhile, so the answer is not returned.
      await context.transact((tx) =>
        recordAuditEntry(tx, {
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
      if (error instanceof UnknownModelError)
        throw refuse(promptRunRefusals, 'generate.unknown_model', { reason: error.message });
      if (error instanceof TemplateError)
        throw refuse(promptRunRefusals, 'generate.template', { reason: error.message.slice(0, 300) });
      throw error;
    }
  });
}
