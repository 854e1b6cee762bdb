/** The assistant's tools for the rules that give tags to new leads. */
import { z } from 'zod';
import { products } from '../../../products/contract.ts';
import { type TagRule, tagRules } from '../../../products/tagContract.ts';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { Undoable } from '../../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { keyOf, queryClient, setCachedAnswer } from '../../../ui/query.ts';
import { isDeepEqual, storedUndo } from '../../../ui/undo.ts';

export function tagRuleTools(productId: number): ToolWithHandler[] {
  const params = { id: productId };
  const read = async () => (await call(products.get, { params })).tag_rules;
  const store = async (rules: TagRule[]) => {
    const saved = await call(products.change, { params, body: { tag_rules: rules } });
    setCachedAnswer(queryClient, keyOf(products.get, { params }), saved);
    return saved.tag_rules;
  };
  return [
    pageTool({
      name: 'show_tag_rules',
      description: t('The rules that give tags to new leads of the product at each import.'),
      input: NO_ARGUMENTS,
      run: async () => ({ rules: await read() }),
    }),
    pageTool({
      name: 'set_tag_rules',
      description: t('Replaces all rules that give tags to new leads of the product at each import.'),
      input: z.strictObject({ rules: tagRules }),
      confirm: true,
      run: async ({ rules }) => {
        const before = await read();
        if (isDeepEqual(before, rules)) throw new Error(t('Nothing has changed.'));
        const after = await store(rules);
        return new Undoable({ rules: after }, storedUndo({ after, read, restore: () => store(before) }));
      },
    }),
  ];
}
