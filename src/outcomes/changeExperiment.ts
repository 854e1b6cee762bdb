/** Starts, stops and applies experiments. */
import type { FrozenContent } from '../experiments/contract.ts';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry, type WriteContext } from '../platform/audit.ts';
import type { Tx } from '../platform/db.ts';
import { requireVersion } from '../platform/http/resource.ts';
import { notify } from '../platform/notifications.ts';
import { commonRefusals, Refusal, refuse } from '../platform/refuse.ts';
import type { ExpectedVersions } from '../platform/rowVersion.ts';
import { modelsConfig, type ProductConfig } from '../products/contract.ts';
import { requireConfirmedErrors } from '../prompts/confirmedErrors.ts';
import { publishText, readProductPrompt } from '../prompts/prompt.ts';
import { readDocumentPrompt, readPreparedMessage } from '../prompts/promptReferences.ts';
import type { CheckGate } from '../prompts/publish.ts';
import { endExperiment, withdrawEndNotice } from './endExperiment.ts';
import { type Experiment, experimentRefusals } from './experimentContract.ts';
import { freezeArms } from './freezeArms.ts';
import {
  lockExperimentRow,
  lockProductSettings,
  lockStarting,
  readExperiment,
  setApplied,
  setStarted,
  updateProductConfig,
} from './store/experiments.ts';

/** Errors of texts that the operator confirms. */
interface Confirmation {
  readonly confirmed: readonly string[] | undefined;
}

interface Change extends WriteContext {
  readonly id: number;
  readonly ifMatch: ExpectedVersions | null;
}

const notFound = () => refuse(commonRefusals, 'not_found', { noun: 'experiment' });

/** Copy the contents of the arms and let the experiment run. */
export function start(context: AppContext, change: Change & Confirmation): Promise<Experiment> {
  return context.transact(async (tx) => {
    const found = await readExperiment(tx, change.id);
    if (!found) throw notFound();
    // The product first: two drafts are started one after the other.
    const other = await lockStarting(tx, { productId: found.product_id, kind: found.kind });
    return changeRow(tx, { ...change, action: 'started' }, async (experiment) => {
      if (experiment.state !== 'draft') throw refuse(experimentRefusals, 'experiment.not_draft', { verb: 'started' });
      if (other) throw refuse(experimentRefusals, 'experiment.other_running', { name: other.name });
      const contents = await freezeArms(context, tx, experiment);
      await requireConfirmedTexts(tx, { experiment, contents, confirmed: change.confirmed });
      await setStarted(tx, { id: experiment.id, by: change.caller.login, contents });
    });
  });
}

/** Refuse (422) arms whose texts have errors that were not confirmed: the leads of an arm get its text. */
async function requireConfirmedTexts(
  tx: Tx,
  { experiment, contents, confirmed }: Confirmation & { experiment: Experiment; contents: readonly FrozenContent[] },
): Promise<void> {
  const { product_id: productId, arms } = experiment;
  const texts = contents.flatMap((content, index) => {
    // What is live already was confirmed, or is older than the rule.
    const isNew = arms[index]?.content.source !== 'current';
    return content.kind === 'model' || !isNew ? [] : [content.text];
  });
  await requireConfirmedErrors(tx, { productId, texts, confirmed, loc: ['arms'] });
}

/** Stop a running experiment without a decision. */
export function stop(context: AppContext, change: Change): Promise<Experiment> {
  return context.transact((tx) =>
    changeRow(tx, { ...change, action: 'stopped' }, async (experiment) => {
      if (experiment.state !== 'running') throw refuse(experimentRefusals, 'experiment.not_running');
      const { login: by } = change.caller;
      const { publicUrl } = context.config;
      const conclusion = `Stopped by ${by} before a decision`;
      await endExperiment(tx, experiment, { end: 'operator', conclusion, by, publicUrl });
    }),
  );
}

/** Make an arm what the product uses, if that has not been changed since `targetVersion`. */
export function apply(
  context: AppContext,
  change: Change & Confirmation & { readonly arm: number; readonly targetId: number; readonly targetVersion: number },
  checkGate: CheckGate,
): Promise<Experiment> {
  const { arm, targetId, targetVersion, confirmed, caller, requestId } = change;
  return context.transact((tx) =>
    changeRow(tx, { ...change, action: 'applied' }, async (experiment) => {
      const { id, state, arm_states: states, product_id: productId } = experiment;
      if (state === 'draft') throw refuse(experimentRefusals, 'experiment.not_started');
      if (state === 'running') throw refuse(experimentRefusals, 'experiment.not_stopped');
      const content = states[arm]?.content;
      if (!content) throw refuse(experimentRefusals, 'experiment.no_arm');
      const name = experiment.arms[arm]?.name ?? '';
      const target = { productId, targetId, targetVersion, name, confirmed, caller, requestId };
      const before =
        content.kind === 'prompt'
          ? await applyPrompt(tx, { content, target }, checkGate)
          : await applyConfig(tx, content, target);
      await setApplied(tx, { id, arm, by: caller.login, before });
      await withdrawEndNotice(tx, id);
    }),
  );
}

interface Target extends WriteContext, Confirmation {
  readonly productId: number;
  /** The row that the caller expects to change, and its version. */
  readonly targetId: number;
  readonly targetVersion: number;
  /** Name of the arm. */
  readonly name: string;
}

/**
 * Publish an arm's text as the next version of the product's prompt. Returns what was live before. Refuses (409) a text
 * that the product's gate keeps out.
 */
async function applyPrompt(
  tx: Tx,
  { content, target }: { content: Extract<FrozenContent, { kind: 'prompt' }>; target: Target },
  checkGate: CheckGate,
): Promise<unknown> {
  const { productId, targetId, targetVersion: revision, confirmed, caller, requestId } = target;
  const prompt = await readProductPrompt(tx, productId, 'prompt');
  if (!prompt) throw refuse(experimentRefusals, 'experiment.no_target', { noun: 'prompt' });
  if (prompt.id !== targetId) throw refuse(commonRefusals, 'changed_meanwhile');
  const { before, after } = await publishText(
    tx,
    { id: prompt.id, text: content.text, revision, author: caller.login, confirmed },
    checkGate,
  ).catch((error: unknown) => {
    const isKeptOut = error instanceof Refusal && error.code === 'prompt.gate';
    throw isKeptOut ? refuse(experimentRefusals, 'experiment.kept_out', { name: prompt.name }) : error;
  });
  if (after.revision !== before.revision)
    await recordAuditEntry(tx, {
      caller,
      requestId,
      action: 'changed',
      noun: 'prompt',
      rowId: prompt.id,
      productId,
      before,
      after,
    });
  return { prompt_id: prompt.id, prompt_version: prompt.version };
}

/** Write an arm's first text or model into the settings of the product. Returns what they were before. */
async function applyConfig(
  tx: Tx,
  content: Exclude<FrozenContent, { kind: 'prompt' }>,
  { productId, targetId, targetVersion, name, confirmed, caller, requestId }: Target,
): Promise<unknown> {
  const product = await lockProductSettings(tx, productId);
  if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
  if (productId !== targetId || product.version !== targetVersion) throw refuse(commonRefusals, 'changed_meanwhile');
  const config = await changedConfig(tx, content, { productId, name, config: product.config });
  if (content.kind === 'text')
    await requireConfirmedErrors(tx, { productId, texts: [content.text], confirmed, loc: ['arm'] });
  const version = await updateProductConfig(tx, productId, config);
  if (version !== product.version) {
    const about = { noun: 'product', rowId: productId, productId, companyId: product.company_id };
    const [before, after] = [product, { ...product, config, version }];
    await recordAuditEntry(tx, { caller, requestId, action: 'changed', ...about, before, after });
    notify(tx, { topic: 'product', product: productId, ids: [productId] });
  }
  const { messaging_config: messaging, models_config: models } = product.config;
  return content.kind === 'model' ? (models?.chatbot_model_config ?? null) : messaging;
}

async function changedConfig(
  tx: Tx,
  content: Exclude<FrozenContent, { kind: 'prompt' }>,
  { productId, name, config }: { productId: number; name: string; config: ProductConfig },
): Promise<ProductConfig> {
  if (content.kind === 'model') {
    const { vendor, model, temperature } = content;
    const models = config.models_config ?? modelsConfig.parse({});
    return { ...config, models_config: { ...models, chatbot_model_config: { vendor, model, temperature } } };
  }
  const messaging = config.messaging_config;
  if (!messaging) throw refuse(experimentRefusals, 'experiment.no_target', { noun: 'first message' });
  if (content.kind === 'document') {
    const document = await readDocumentPrompt(tx, content.document_prompt_id, productId);
    if (document?.prompt?.text !== content.text)
      throw refuse(experimentRefusals, 'experiment.content_changed', { arm: name });
    return {
      ...config,
      messaging_config: { ...messaging, initial_message_document_prompt_id: content.document_prompt_id },
    };
  }
  const { prepared_message_id: preparedId, text } = content;
  const prepared = preparedId === null ? undefined : await readPreparedMessage(tx, preparedId, productId);
  // One that was edited since is another text: then the arm's own is written.
  const isSame = prepared?.message === text;
  return {
    ...config,
    messaging_config: {
      ...messaging,
      initial_message_document_prompt_id: null,
      initial_message_prepared_message_id: isSame ? preparedId : null,
      initial_message_text: isSame ? messaging.initial_message_text : text,
    },
  };
}

/** Change a locked experiment, record it, and return it as it is then. */
async function changeRow(
  tx: Tx,
  { id, ifMatch, caller, requestId, action }: Change & { readonly action: string },
  write: (experiment: Experiment) => Promise<void>,
): Promise<Experiment> {
  const before = await lockExperimentRow(tx, id);
  if (!before) throw notFound();
  await requireVersion(tx, { noun: 'experiment', rowId: id, item: before }, ifMatch);
  await write(before);
  const after = await readExperiment(tx, id);
  if (!after) throw notFound();
  const { product_id: productId } = after;
  await recordAuditEntry(tx, { caller, requestId, action, noun: 'experiment', rowId: id, productId, before, after });
  notify(tx, { topic: 'experiment', product: productId, ids: [id] });
  return after;
}
