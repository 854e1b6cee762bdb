/** Mutations of the checks on the assistant's proposals. */
import type { MutationsByTest } from './mutation.ts';

export const ASSISTANT_MUTATIONS: MutationsByTest = {
  'src/assistant/chat.test.ts': {
    'A call of the assistant is answered twice': {
      disabled: 'if (call.answered) throw',
      failing: 'is answered in order, each call once',
    },
    "The assistant's calls are answered in any order": {
      disabled: 'if (stored.calls.find((one) => !one.answered) !== call)',
      failing: 'is answered in order, each call once',
    },
    'A proposal is confirmed twice': {
      disabled: 'if (call.confirmed) throw',
      failing: 'leads to a proposal, one confirmation, and an answer that uses the result',
    },
    "Another operator can read the assistant's proposals": {
      file: 'src/assistant/store.ts',
      change: [
        'where operator_id = ${chat.operatorId} and chat_id = ${chat.chatId} and product_id = ${chat.productId}',
        'where chat_id = ${chat.chatId} and product_id = ${chat.productId}',
      ],
      failing: 'is restored after a reconnect, for its operator only, within ten minutes',
    },
  },
  'src/assistant/tools.test.ts': {
    'The assistant can call tools that the page does not have': {
      change: ['if (parsed.success) return', 'if (name) return'],
      failing: 'is refused, with a reason for the model',
    },
    'A page can end its own block of data': {
      file: 'src/assistant/prompt.ts',
      change: ["mark = randomBytes(9).toString('hex')", "mark = '000000000000000000'"],
      failing: 'cannot end its own block',
    },
  },
};
