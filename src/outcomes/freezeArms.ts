/** Copies what the arms of an experiment use, so that what is edited or deleted later changes no arm. */
import type { FrozenContent } from '../experiments/contract.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Reader } from '../platform/db.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { modelFor, type ProductFacts, readProduct } from '../products/product.ts';
import { readProductPrompt, readPromptVersion } from '../prompts/prompt.ts';
import { readDocumentPrompt, readPreparedMessage } from '../prompts/promptReferences.ts';
import { type ArmContent, type Experiment, type ExperimentArm, experimentRefusals } from './experimentContract.ts';

/** Return the contents of all arms as of now. Refuses (409) what is gone, and arms that are the same. */
export async function freezeArms(
  context: AppContext,
  reader: Reader,
  experiment: Experiment,
): Promise<FrozenContent[]> {
  const product = await readProduct(reader, experiment.product_id);
  if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
  const contents: FrozenContent[] = [];
  for (const arm of experiment.arms) {
    const content = await freeze(context, reader, { product, kind: experiment.kind, arm });
    const same = contents.findIndex((other) => textOf(other) === textOf(content));
    const other = experiment.arms[same]?.name;
    if (other !== undefined)
      throw refuse(experimentRefusals, 'experiment.same_contents', { arm: other, other: arm.name });
    contents.push(content);
  }
  return contents;
}

/** What a lead would notice of a content. */
const textOf = (content: FrozenContent): string =>
  content.kind === 'model'
    ? JSON.stringify([content.vendor, content.model, content.temperature])
    : JSON.stringify([content.kind, content.text]);

async function freeze(
  context: AppContext,
  reader: Reader,
  { product, kind, arm }: { product: ProductFacts; kind: Experiment['kind']; arm: ExperimentArm },
): Promise<FrozenContent> {
  const { content, name } = arm;
  if (content.source === 'current') {
    const found = await freezeCurrent(context, reader, { product, kind });
    if (found) return found;
    const noun = kind === 'first_text' ? 'first message' : 'prompt';
    throw refuse(experimentRefusals, 'experiment.nothing_current', { noun, arm: name });
  }
  const found = await freezeChosen(reader, product.id, content);
  if (!found) throw refuse(experimentRefusals, 'experiment.content_gone', { arm: name });
  return found;
}

async function freezeCurrent(
  context: AppContext,
  reader: Reader,
  { product, kind }: { product: ProductFacts; kind: Experiment['kind'] },
): Promise<FrozenContent | null> {
  const { id, config } = product;
  if (kind === 'model') {
    const { vendor, model, temperature } = modelFor(context, config, 'chatbot');
    return { kind: 'model', vendor, model, temperature };
  }
  if (kind === 'prompt') {
    const prompt = await readProductPrompt(reader, id, 'prompt');
    return prompt
      ? { kind: 'prompt', prompt_id: prompt.id, prompt_version: prompt.version, name: prompt.name, text: prompt.text }
      : null;
  }
  const messaging = config.messaging_config;
  if (!messaging) return null;
  const { initial_message_document_prompt_id: documentId, initial_message_prepared_message_id: preparedId } = messaging;
  if (documentId !== null)
    return freezeChosen(reader, id, { source: 'document_prompt', document_prompt_id: documentId });
  if (preparedId !== null)
    return freezeChosen(reader, id, { source: 'prepared_message', prepared_message_id: preparedId });
  return { kind: 'text', text: messaging.initial_message_text ?? '', prepared_message_id: null };
}

async function freezeChosen(
  reader: Reader,
  productId: number,
  content: Exclude<ArmContent, { source: 'current' }>,
): Promise<FrozenContent | null> {
  switch (content.source) {
    case 'text':
      return { kind: 'text', text: content.text, prepared_message_id: null };
    case 'prepared_message': {
      const prepared = await readPreparedMessage(reader, content.prepared_message_id, productId);
      return prepared ? { kind: 'text', text: prepared.message, prepared_message_id: prepared.id } : null;
    }
    case 'document_prompt': {
      const document = await readDocumentPrompt(reader, content.document_prompt_id, productId);
      if (!document?.prompt) return null;
      const { name, document_type, prompt } = document;
      return {
        kind: 'document',
        document_prompt_id: content.document_prompt_id,
        document_type,
        name,
        prompt_id: prompt.id,
        prompt_name: prompt.name,
        prompt_version: prompt.version,
        text: prompt.text,
      };
    }
    case 'prompt': {
      const { prompt_id, prompt_version } = content;
      const found = await readPromptVersion(reader, { promptId: prompt_id, version: prompt_version, productId });
      return found ? { kind: 'prompt', prompt_id, prompt_version, name: found.name, text: found.text } : null;
    }
    case 'model': {
      const { vendor, model, temperature } = content;
      return { kind: 'model', vendor, model, temperature };
    }
    default:
      return content satisfies never;
  }
}
