/** What the assistant can do with test cases. */
import { z } from 'zod';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { type PageContext, Undoable } from '../../../ui/pageContext.ts';
import { NO_ARGUMENTS, pageTool, pageTools, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../../ui/query.ts';
import { changeDraft, nullIfNotFound, storedUndo } from '../../../ui/undo.ts';
import { requirement, type StudioCase, studioCases } from '../../caseContract.ts';
import type { CaseEditorState } from './useCaseEditor.ts';

const refreshList = () => queryClient.invalidateQueries({ queryKey: keyOf(studioCases.list) });

const fields = studioCases.create.body.shape;

const FROM_MESSAGE = z.strictObject({
  message_id: z.int().positive().describe('A message of the bot'),
  source: z.enum(['keep', 'never', 'should_say']),
  should_say: fields.should_say,
  requirements: fields.requirements,
});

/** Tools of the list. */
export function listTools(productId: number): ToolWithHandler[] {
  return [
    pageTool({
      name: 'create_test_case',
      description: t(
        'Makes a test case from a message of the bot: keep it, never say it again, or what it should have said.',
      ),
      input: FROM_MESSAGE,
      confirm: true,
      run: async ({ message_id: messageId, ...input }) => {
        const body = { product_id: productId, from_message_id: messageId, ...input };
        const created = await call(studioCases.create, { body: studioCases.create.body.parse(body) });
        await refreshList();
        return new Undoable({ status: 'created', id: created.id, name: created.name }, createdUndo(created));
      },
    }),
  ];
}

/** Deletes the case again, as long as it is as it was created. */
const createdUndo = (created: StudioCase) =>
  storedUndo<StudioCase | null>({
    after: created,
    read: () => nullIfNotFound(call(studioCases.get, { params: { id: created.id } })),
    restore: async () => {
      await call(studioCases.remove, { params: { id: created.id } });
      await refreshList();
    },
  });

/** The context of the editor of a test case. */
export function caseContext(editor: CaseEditorState): PageContext {
  const { draft, stored, faults, view } = editor;
  return {
    description: t('One test case: a conversation up to one answer, and what an answer to it has to meet.'),
    summary: JSON.stringify({
      case: draft,
      answer: stored?.answer,
      unsaved: editor.changed,
      faults: Object.fromEntries(faults),
    }),
    ...pageTools(
      pageTool({
        name: 'change_test_case',
        description: t('Changes fields of the test case on the page; it is not saved yet.'),
        input: z.strictObject({
          name: fields.name,
          requirements: z.array(requirement).max(30).optional(),
          rubric: z.string().max(4000).optional(),
          is_enabled: z.boolean().optional(),
        }),
        confirm: true,
        run: async (change) => {
          const changed = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
          return changeDraft(view, { ...draft, ...changed }, { status: 'changed on the page, not saved' });
        },
      }),
      pageTool({
        name: 'save_test_case',
        description: t('Saves the test case on the page.'),
        input: NO_ARGUMENTS,
        confirm: true,
        irreversible: t('The former requirements are not kept.'),
        run: async () => {
          const [fault] = faults.values();
          if (fault !== undefined || !(await editor.save()))
            throw new Error(fault ?? t('The test case was not saved.'));
          return { status: 'saved' };
        },
      }),
    ),
  };
}
