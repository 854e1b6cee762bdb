/** What the assistant can do with simulated leads, beside their form. */
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { pageTool, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../../ui/query.ts';
import { derivePersonas, personas } from '../../personaContract.ts';

export function personaTools(productId: number): ToolWithHandler[] {
  return [
    pageTool({
      name: 'derive_simulated_leads',
      description: t("Has a model make simulated leads from the product's dialogues. It costs a few calls."),
      input: derivePersonas.body.pick({ count: true }),
      confirm: true,
      irreversible: t('The calls of the model are paid. The simulated leads can be deleted.'),
      run: async ({ count }) => {
        const { items } = await call(derivePersonas, { body: { product_id: productId, count } });
        await queryClient.invalidateQueries({ queryKey: keyOf(personas.list) });
        return { status: 'made', simulated_leads: items.map(({ id, name, goal }) => ({ id, name, goal })) };
      },
    }),
  ];
}
