import type { z } from 'zod';
import type { AppContext } from '../platform/appContext.ts';
import type { Tx } from '../platform/db.ts';
import { resource } from '../platform/http/resource.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { requirePreparedType } from '../prompts/preparedType.ts';
import { readPromptVersion } from '../prompts/prompt.ts';
import { requireSameProduct } from '../prompts/promptReferences.ts';
import type { CheckGate } from '../prompts/publish.ts';
import { apply, start, stop } from './changeExperiment.ts';
import {
  applyExperiment,
  type Experiment,
  experimentRefusals,
  experiments,
  readExperimentResults,
  rehearseExperiment,
  startExperiment,
  stopExperiment,
} from './experimentContract.ts';
import { plannedColumns } from './experimentPlan.ts';
import { readResults } from './experimentResults.ts';
import { rehearseArms } from './rehearseExperiment.ts';
import { EXPERIMENT_SOURCE } from './store/experiments.ts';

type Body = z.output<typeof experiments.update>;

export function experimentRoutes(context: AppContext, checkGate: CheckGate): Route[] {
  const crudRoutes = resource(context, experiments, EXPERIMENT_SOURCE);
  const read = async (id: number): Promise<Experiment> => {
    const found = await crudRoutes.read(context.reader, id);
    if (!found) throw refuse(commonRefusals, 'not_found', { noun: 'experiment' });
    return found;
  };
  const columns = async (tx: Tx, body: Body) => {
    await requireOwnContents(tx, body);
    return { ...body, ...plannedColumns(body) };
  };
  return [
    crudRoutes.list,
    crudRoutes.get,
    crudRoutes.create(columns),
    ...crudRoutes.replace(async (tx, { before, body }) => {
      requireDraft(before, 'edited');
      if (body.product_id !== before.product_id) throw refuse(experimentRefusals, 'experiment.product_fixed');
      return columns(tx, body);
    }),
    crudRoutes.remove(async (_tx, before) => {
      requireDraft(before, 'deleted');
      return undefined;
    }),
    route(startExperiment, async ({ params: { id }, body, caller, requestId, ifMatch }) =>
      ok(200, await start(context, { id, confirmed: body.confirm_errors, caller, requestId, ifMatch })),
    ),
    route(stopExperiment, async ({ params: { id }, caller, requestId, ifMatch }) =>
      ok(200, await stop(context, { id, caller, requestId, ifMatch })),
    ),
    route(applyExperiment, async ({ params: { id }, body, caller, requestId, ifMatch }) => {
      const { arm, target_id: targetId, target_version: targetVersion, confirm_errors: confirmed } = body;
      const change = { id, arm, targetId, targetVersion, confirmed, caller, requestId, ifMatch };
      return ok(200, await apply(context, change, checkGate));
    }),
    route(readExperimentResults, async ({ params }) =>
      ok(200, await readResults(context.reader, await read(params.id))),
    ),
    route(rehearseExperiment, async ({ params }) => ok(200, await rehearseArms(context, await read(params.id)))),
  ];
}

function requireDraft({ state }: Experiment, verb: string): void {
  if (state !== 'draft') throw refuse(experimentRefusals, 'experiment.not_draft', { verb });
}

/** Require that prompts and messages of the arms are the product's own, and that versions exist. */
async function requireOwnContents(tx: Tx, { product_id: productId, arms }: Body): Promise<void> {
  const idsOf = (field: string) =>
    arms.flatMap(({ content }) => {
      const id: unknown = Reflect.get(content, field);
      return typeof id === 'number' ? [id] : [];
    });
  await requireSameProduct(tx, { noun: 'prepared_message', ids: idsOf('prepared_message_id'), productId });
  await requirePreparedType(
    tx,
    'initial',
    arms.map(({ content }, index) => ({
      id: content.source === 'prepared_message' ? content.prepared_message_id : null,
      loc: ['arms', index, 'content', 'prepared_message_id'],
    })),
  );
  await requireSameProduct(tx, { noun: 'document_prompt', ids: idsOf('document_prompt_id'), productId });
  for (const { content } of arms) {
    if (content.source !== 'prompt') continue;
    const version = { promptId: content.prompt_id, version: content.prompt_version, productId };
    if (!(await readPromptVersion(tx, version))) throw refuse(commonRefusals, 'not_found', { noun: 'prompt version' });
  }
}
