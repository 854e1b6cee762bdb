/** Pausing and resuming the outreach of the chosen product, by the operator and by the assistant. */
import { type Product, pauseOutreach, products, resumeOutreach } from '../products/contract.ts';
import { call } from '../ui/api.ts';
import { t } from '../ui/i18n.ts';
import { Undoable } from '../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../ui/pageTool.ts';
import { keyOf, queryClient, setCachedAnswer } from '../ui/query.ts';
import { storedUndo } from '../ui/undo.ts';

/** What a pause means, in words. */
export const PAUSE_MEANING = 'First messages and follow-ups stop. Replies continue.';
export const RESUME_MEANING =
  'First messages and follow-ups continue, within limits, intervals and working hours. Overdue messages are not sent all at once.';

/** Pause or resume a product's outreach, and show it on the page. */
export async function switchOutreach(productId: number, to: 'paused' | 'running'): Promise<Product> {
  const product = await call(to === 'paused' ? pauseOutreach : resumeOutreach, { params: { id: productId } });
  setCachedAnswer(queryClient, keyOf(products.get, { params: { id: productId } }), product);
  return product;
}

const stateOf = ({ outreach_paused_at: pausedAt }: Product) => (pausedAt === null ? 'running' : 'paused');

/** Return the assistant's tools for a product's outreach. */
export function outreachTools(productId: number): readonly ToolWithHandler[] {
  const declare = (name: string, description: string, to: 'paused' | 'running') =>
    pageTool({ name, description, input: NO_ARGUMENTS, confirm: true, run: () => change(productId, to) });
  return [
    declare(
      'pause_outreach',
      t('Pauses the outreach of the chosen product. {{meaning}}', { meaning: t(PAUSE_MEANING) }),
      'paused',
    ),
    declare(
      'resume_outreach',
      t('Resumes the outreach of the chosen product. {{meaning}}', { meaning: t(RESUME_MEANING) }),
      'running',
    ),
  ];
}

async function change(productId: number, to: 'paused' | 'running'): Promise<Undoable> {
  const read = async () => stateOf(await call(products.get, { params: { id: productId } }));
  if ((await read()) === to)
    throw new Error(to === 'paused' ? t('Outreach is paused already.') : t('Outreach is running already.'));
  const product = await switchOutreach(productId, to);
  return new Undoable(
    { product: product.name, outreach: to },
    storedUndo({ after: to, read, restore: () => switchOutreach(productId, to === 'paused' ? 'running' : 'paused') }),
  );
}
