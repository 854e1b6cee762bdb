/** Mutations of budgets, and of what ends when an operator loses rights or is checked again. */
import type { Mutation } from './core.ts';

const THREADS = 'src/platform/threads.test.ts';
const PLAYGROUND = 'src/studio/playground.test.ts';
const REVOKED = 'src/studio/revokedAccess.test.ts';
const ACCEPTABLE = 'src/conversations/invalidReply.test.ts';
const CLASSIFY = 'src/conversations/classifyTurn.test.ts';

export const LIMITS_MUTATIONS: readonly Mutation[] = [
  {
    name: 'Plans are worked out where requests are answered',
    file: 'src/outreach/rehearsalRoutes.ts',
    from: 'return await context.threads.run(rehearsalThreadKind, { key: String(product.company_id), input, signal });',
    to: `return await (await import('./computeInThread.ts')).computeInThread(context.reader, input);`,
    test: 'src/outreach/eventLoop.test.ts',
    testName: 'answers others while five large plans of one company are computed',
  },
  {
    name: 'One company takes all threads',
    file: 'src/platform/threads.ts',
    from: 'if (busyKeys.has(key)) continue;',
    to: 'if (busyKeys.has(`${key}!`)) continue;',
    test: THREADS,
    testName: 'runs one task for each key at a time, keys in turn',
  },
  {
    name: 'Work of one company waits without end',
    file: 'src/platform/threads.ts',
    from: 'tasks.length >= kind.waiting.ofKey',
    to: 'tasks.length < 0',
    test: THREADS,
    testName: 'bounds the queue for each key and in total, and removes cancelled tasks',
  },
  {
    name: 'Work in a thread takes as long as it likes',
    file: 'src/platform/threads.ts',
    from: '}, kind.budgetMs);',
    to: '}, kind.budgetMs * 10_000);',
    test: THREADS,
    testName: 'ends work that exceeds its time budget, and runs the next',
  },
  {
    name: 'A template takes as long as it likes',
    file: 'src/prompts/template.ts',
    from: 'if ((user + system) / 1000 > RENDER_MS)',
    to: 'if ((user + system) / 1000 > RENDER_MS * 10_000)',
    test: 'src/prompts/prompt.test.ts',
    testName: 'refuses a template whose empty loops exceed 50 ms of CPU time',
  },
  {
    name: 'A template may be filled in to any length',
    file: 'src/prompts/template.ts',
    from: 'const MAX_OUTPUT = 1_000_000;',
    to: 'const MAX_OUTPUT = 1_000_000_000;',
    test: 'src/prompts/prompt.test.ts',
    testName: 'more than a million characters of values',
  },
  {
    name: 'An answer of a model never ends',
    file: 'src/llm/modelAttempt.ts',
    from: 'if (bytes > MAX_ANSWER_BYTES) return',
    to: 'if (bytes < 0) return',
    test: PLAYGROUND,
    testName: 'ends an answer at 256 KB',
  },
  {
    name: 'The playground remembers all that was said',
    file: 'src/studio/playground.ts',
    from: 'while (length > MAX_HISTORY_LENGTH)',
    to: 'while (length < 0)',
    test: PLAYGROUND,
    testName: 'sends the model the last 200,000 characters of the conversation',
  },
  {
    name: 'A document is sent for somebody who may not any more',
    file: 'src/conversations/writeDocument.ts',
    from: 'await input.caller?.lockRights?.(tx, [{',
    to: 'void (tx, [{',
    test: REVOKED,
    testName: 'sends and stores no document',
  },
  {
    name: 'A generated text is shown to somebody who may not see it any more',
    file: 'src/platform/audit.ts',
    from: 'await doer?.lockRights?.(tx, its);',
    to: 'void [doer, its];',
    test: REVOKED,
    testName: 'returns no text',
  },
  {
    name: 'A prompt passes with characters that do not show',
    file: 'src/conversations/invalidReply.ts',
    from: '[\\p{Default_Ignorable_Code_Point}\\p{Cf}\\p{M}]',
    to: '[\\p{Co}]',
    test: ACCEPTABLE,
    testName: 'with a zero-width character in each word',
  },
  {
    name: 'A prompt passes in letters of another width',
    file: 'src/conversations/invalidReply.ts',
    from: ".normalize('NFKD')",
    to: ".normalize('NFD')",
    test: ACCEPTABLE,
    testName: 'in full-width letters',
  },
  {
    name: 'A name adds lines to the system text',
    file: 'src/conversations/templateValues.ts',
    from: 'const name = toSingleLine(lead.name);',
    to: 'const name = lead.name;',
    test: 'src/conversations/templateValues.test.ts',
    testName: 'keeps a name on one line',
  },
  {
    name: 'One answer of a model is a success',
    file: 'src/conversations/classifyConversation.ts',
    from: `if (!confirmationPrompt && stage === 'refused') return toOutcome(null);`,
    to: 'if (!confirmationPrompt) return toOutcome(null);',
    test: CLASSIFY,
    testName: 'confirms a success by a second question, so that a lead cannot dictate it',
  },
  {
    name: 'The check of a success takes any answer',
    file: 'src/conversations/judgeQuestions.ts',
    from: 'code: z.literal(code),',
    to: 'code: z.string().optional(),',
    test: CLASSIFY,
    testName: 'confirms a success by a second question, so that a lead cannot dictate it',
  },
  {
    name: 'A name that is missing is told from one of this network',
    file: 'src/platform/outbound.ts',
    from: 'const addresses = error ? [] : found;',
    to: "if (error) return callback(error, '');\n          const addresses = found;",
    test: 'src/platform/outboundCallers.test.ts',
    testName: 'refuses an internal name in the same words as an unknown one',
  },
];
