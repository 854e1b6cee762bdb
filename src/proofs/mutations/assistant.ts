/** Mutations of the checks on the assistant's proposals. */
import type { Mutation } from './core.ts';

const TEST = 'src/assistant/chat.test.ts';

export const ASSISTANT_MUTATIONS: readonly Mutation[] = [
  {
    name: "A call of the assistant's is answered twice",
    file: 'src/assistant/chat.ts',
    from: 'if (call.answered) throw',
    to: 'if (call.index < 0) throw',
    test: TEST,
    testName: 'is answered in order, each call once',
  },
  {
    name: "The assistant's calls are answered in any order",
    file: 'src/assistant/chat.ts',
    from: 'if (stored.calls.find((one) => !one.answered) !== call)',
    to: 'if (call.index < 0)',
    test: TEST,
    testName: 'is answered in order, each call once',
  },
  {
    name: 'A proposal is confirmed twice',
    file: 'src/assistant/chat.ts',
    from: 'if (call.confirmed) throw',
    to: 'if (call.index < 0) throw',
    test: TEST,
    testName: 'leads to a proposal, one confirmation, and an answer that uses the result',
  },
  {
    name: "Another operator finds the assistant's proposals",
    file: 'src/assistant/store.ts',
    from: 'where operator_id = ${chat.operatorId} and chat_id = ${chat.chatId} and product_id = ${chat.productId}',
    to: 'where chat_id = ${chat.chatId} and product_id = ${chat.productId}',
    test: TEST,
    testName: 'is restored after a reconnect, for its operator only, within ten minutes',
  },
  {
    name: 'The assistant may call what the page does not have',
    file: 'src/assistant/tools.ts',
    from: 'if (parsed.success) return',
    to: 'if (name) return',
    test: 'src/assistant/tools.test.ts',
    testName: 'is refused, with a reason for the model',
  },
  {
    name: 'A page may end its own block of data',
    file: 'src/assistant/prompt.ts',
    from: "mark = randomBytes(9).toString('hex')",
    to: "mark = '000000000000000000'",
    test: 'src/assistant/tools.test.ts',
    testName: 'cannot end its own block',
  },
];
