/** Shows how the next leads would be split among the arms of an experiment, and what they would get. Assigns nobody. */
import { readArms } from '../experiments/assign.ts';
import type { FrozenContent } from '../experiments/contract.ts';
import { previewText } from '../outreach/previewText.ts';
import type { AppContext } from '../platform/appContext.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { readProduct } from '../products/product.ts';
import { type Experiment, type ExperimentRehearsal, REHEARSED_LEADS, type RehearsedArm } from './experimentContract.ts';
import { freezeArms } from './freezeArms.ts';
import { readNextLeads } from './store/experiments.ts';

/** Split the next leads. Refuses (409) a draft whose contents are gone. */
export async function rehearseArms(context: AppContext, experiment: Experiment): Promise<ExperimentRehearsal> {
  const { reader } = context;
  const { id, name, kind, part, product_id: productId, arm_states: states } = experiment;
  const product = await readProduct(reader, productId);
  if (!product) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
  const contents =
    states.length > 0 ? states.map(({ content }) => content) : await freezeArms(context, reader, experiment);
  const arms = experiment.arms.flatMap((arm, index) => {
    const content = contents[index];
    return content ? [{ ...arm, content, isStopped: states[index]?.stopped_at != null }] : [];
  });
  const leads = await readNextLeads(reader, productId, REHEARSED_LEADS);
  const decided = await readArms(
    reader,
    { id, name, kind, part, arms },
    leads.map((lead) => lead.id),
  );
  const items = leads.map((lead) => ({
    lead_id: lead.id,
    lead_name: lead.name,
    arm: decided.get(lead.id)?.arm ?? null,
  }));
  const rehearsed: RehearsedArm[] = [];
  for (const [arm, { name: armName, content }] of arms.entries()) {
    const own = items.filter((item) => item.arm === arm);
    const [first] = own;
    const example = first ? await exampleOf(context, { product, content, lead: first }) : null;
    rehearsed.push({ arm, name: armName, leads: own.length, example });
  }
  return { leads: items.length, outside: items.filter(({ arm }) => arm === null).length, arms: rehearsed, items };
}

async function exampleOf(
  { reader, threads }: AppContext,
  {
    product,
    content,
    lead: { lead_id, lead_name },
  }: {
    product: NonNullable<Awaited<ReturnType<typeof readProduct>>>;
    content: FrozenContent;
    lead: Pick<NonNullable<RehearsedArm['example']>, 'lead_id' | 'lead_name'>;
  },
): Promise<RehearsedArm['example']> {
  const subject = { content };
  const { kind, text } = await previewText({ reader, threads }, { product, leadId: lead_id, contactId: null, subject });
  return { lead_id, lead_name, kind: content.kind === 'model' && kind === 'text' ? 'model' : kind, text };
}
