/** Mutations of the console under fast hands: focus, keys, undo, layers and columns. */
import type { MutationsByTest } from './mutation.ts';

export const CONSOLE_MUTATIONS: MutationsByTest = {
  'src/proofs/journeys/console.test.ts': {
    'A busy button is disabled and loses the focus': {
      file: 'src/ui/steady.tsx',
      change: ['const isInUse = hasFocus || hasPointer || isBusy;', 'const isInUse = false;'],
      failing: 'keeps the focus on a button that is busy',
    },
    'Letters on a busy button are keys': {
      file: 'src/ui/shortcuts.ts',
      removed: "if (target instanceof Element && target.closest('[data-loading]') !== null) return true;",
      failing: 'keeps the focus on a button that is busy',
    },
    'The cursor stays on Suggest reply': {
      file: 'src/conversations/pages/chat/WritingTools.tsx',
      removed: 'input.current?.focus();',
      failing: 'keeps what is typed after Suggest reply in the composer',
    },
    'A letter after an interruption is a key': {
      file: 'src/ui/shortcuts.ts',
      change: [
        'if (isField(target) || event.timeStamp - typedAt < TYPING_MS) return true;',
        'if (isField(target)) return true;',
      ],
      failing: 'does not take letters for keys',
    },
    'Nothing is kept of what is marked as done': {
      file: 'src/engine/rules/attention.ts',
      change: ['done_needs: needsOf(dialogue)', 'done_needs: null'],
      failing: 'undoes what single keys have changed',
    },
    'Popovers lie above the dialogs they open': {
      file: 'src/studio/pages/shared/CaseButtons.tsx',
      removed: 'zIndex={OVER_POPOVERS}',
      failing: 'uses a dialog that was opened from a popover',
    },
    'A press in a dialog closes the popover that opened it': {
      file: 'src/conversations/pages/chat/RunDetails.tsx',
      change: ['if (!isDialogOpen()) setOpened(next);', 'setOpened(next);'],
      failing: 'uses a dialog that was opened from a popover',
    },
    'The assistant is cleared without a question': {
      file: 'src/assistant/pages/AssistantPanel.tsx',
      change: ['onClick={() => setClearing(true)}', 'onClick={clear}'],
      failing: 'survives a double click on Assistant',
    },
    'What is typed is added to the chosen name': {
      file: 'src/ui/theme.ts',
      removed: '...replacedByTyping,',
      failing: 'replaces the chosen name by what is typed',
    },
    'A product is offered the channels of other companies': {
      file: 'src/channels/pages/shared/channelSource.ts',
      change: ['isOfCompany(channel) && accepts(channel)', 'accepts(channel)'],
      failing: 'offers a product no channel of another company',
    },
    'A member is added without a company': {
      file: 'src/monitoring/pages/OperatorsTab.tsx',
      removed: "requiredIf: ({ role }) => role === 'member',",
      failing: 'offers a product no channel of another company',
    },
  },
  'src/ui/columns.test.ts': {
    'Columns keep room that others need': {
      file: 'src/ui/columns.ts',
      change: ['if (taken === 0) return widths;', 'if (taken >= 0) return widths;'],
      failing: 'gives the room that columns do not need',
    },
  },
  'src/sandbox/withoutDemo.test.ts': {
    'The free numbers belong to the demo': {
      file: 'src/sandbox/openSandbox.ts',
      change: ['await registerFreeAccounts(control)', 'if (config.demo) await registerFreeAccounts(control)'],
      failing: 'offers the free numbers of the sandbox without the demo',
    },
    'A sandbox without the demo names its operator': {
      file: 'src/sandbox/openSandbox.ts',
      change: [
        'demoOperator: config.demo ? { login: DEMO_LOGIN, password: DEMO_PASSWORD } : null',
        'demoOperator: { login: DEMO_LOGIN, password: DEMO_PASSWORD }',
      ],
      failing: 'names no operator that a sandbox without the demo does not have',
    },
  },
};
