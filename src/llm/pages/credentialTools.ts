/** The assistant's tools for keys of language models, which take ids and never see a key. */
import { z } from 'zod';
import { uncheckedId } from '../../platform/contract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { Undoable } from '../../ui/pageContext.ts';
import { pageTool, type ToolWithHandler } from '../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../ui/query.ts';
import { storedUndo } from '../../ui/undo.ts';
import { companyLlms } from '../contract.ts';
import { testCredential } from '../settingsContract.ts';

const ONE = z.strictObject({ id: uncheckedId });

export function credentialTools(): ToolWithHandler[] {
  return [
    pageTool({
      name: 'test_credential',
      description: t('Makes one cheap call with a key to test whether it works.'),
      input: ONE,
      run: ({ id }) => call(testCredential, { params: { id } }),
    }),
    pageTool({
      name: 'switch_credential',
      description: t('Activates a key or switches it off. One key for each vendor can be active.'),
      input: ONE.extend({ is_active: z.boolean() }),
      confirm: true,
      run: async ({ id, is_active }) => {
        const before = await call(companyLlms.get, { params: { id } });
        if (before.is_active === is_active) throw new Error(t('Nothing has changed.'));
        const { vendor } = await switched(id, is_active);
        return new Undoable(
          { id, vendor, is_active },
          storedUndo({
            after: is_active,
            read: async () => (await call(companyLlms.get, { params: { id } })).is_active,
            restore: () => switched(id, !is_active),
          }),
        );
      },
    }),
  ];
}

async function switched(id: number, is_active: boolean) {
  const saved = await call(companyLlms.replace, { params: { id }, body: { is_active } });
  await queryClient.invalidateQueries({ queryKey: keyOf(companyLlms.list) });
  return saved;
}
