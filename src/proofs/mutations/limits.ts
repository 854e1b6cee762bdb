/** Mutations of budgets, and of what ends when an operator loses rights or is checked again. */
import type { MutationsByTest } from './mutation.ts';

export const LIMITS_MUTATIONS: MutationsByTest = {
  'src/outreach/eventLoop.test.ts': {
    'Plans are worked out where requests are answered': {
      file: 'src/outreach/rehearsalRoutes.ts',
      change: [
        'return await context.threads.run(rehearsalThreadKind, { key: String(product.company_id), input, signal });',
        "return await (await import('./computeInThread.ts')).computeInThread(context.reader, input);",
      ],
      failing: 'answers others while five large plans of one company are computed',
    },
  },
  'src/platform/threads.test.ts': {
    'One company takes all threads': {
      file: 'src/platform/threads.ts',
      change: ['if (busyKeys.has(key)) continue;', 'if (busyKeys.has(`${key}!`)) continue;'],
      failing: 'runs one task for each key at a time, keys in turn',
    },
    'Work of one company waits without end': {
      file: 'src/platform/threads.ts',
      change: ['tasks.length >= kind.waiting.ofKey', 'tasks.length < 0'],
      failing: 'bounds the queue for each key and in total, and removes cancelled tasks',
    },
    'Work in a thread takes as long as it likes': {
      file: 'src/platform/threads.ts',
      change: ['}, kind.budgetMs);', '}, kind.budgetMs * 10_000);'],
      failing: 'ends work that exceeds its time budget, and runs the next',
    },
  },
  'src/prompts/prompt.test.ts': {
    'A template takes as long as it likes': {
      file: 'src/prompts/template.ts',
      change: ['if ((user + system) / 1000 > RENDER_MS)', 'if ((user + system) / 1000 > RENDER_MS * 10_000)'],
      failing: 'refuses a template whose empty loops exceed 50 ms of CPU time',
    },
    'A template may be filled in to any length': {
      file: 'src/prompts/template.ts',
      change: ['const MAX_OUTPUT = 1_000_000;', 'const MAX_OUTPUT = 1_000_000_000;'],
      failing: 'more than a million characters of values',
    },
  },
  'src/studio/playground.test.ts': {
    'An answer of a model never ends': {
      file: 'src/llm/modelAttempt.ts',
      change: ['if (bytes > MAX_ANSWER_BYTES) return', 'if (bytes < 0) return'],
      failing: 'ends an answer at 256 KB',
    },
    'The playground remembers all that was said': {
      file: 'src/studio/playground.ts',
      change: ['while (length > MAX_HISTORY_LENGTH)', 'while (length < 0)'],
      failing: 'sends the model the last 200,000 characters of the conversation',
    },
  },
  'src/studio/revokedAccess.test.ts': {
    'A document is sent for somebody who may not any more': {
      file: 'src/conversations/writeDocument.ts',
      change: ['await input.caller?.lockRights?.(tx, [{', 'void (tx, [{'],
      failing: 'sends and stores no document',
    },
    'A generated text is shown to somebody who may not see it any more': {
      file: 'src/platform/audit.ts',
      change: ['await doer?.lockRights?.(tx, its);', 'void [doer, its];'],
      failing: 'returns no text',
    },
  },
  'src/conversations/invalidReply.test.ts': {
    'A prompt passes with characters that do not show': {
      file: 'src/conversations/invalidReply.ts',
      change: ['[\\p{Default_Ignorable_Code_Point}\\p{Cf}\\p{M}]', '[\\p{Co}]'],
      failing: 'with a zero-width character in each word',
    },
    'A prompt passes in letters of another width': {
      file: 'src/conversations/invalidReply.ts',
      change: [".normalize('NFKD')", ".normalize('NFD')"],
      failing: 'in full-width letters',
    },
  },
  'src/conversations/templateValues.test.ts': {
    'A name adds lines to the system text': {
      file: 'src/conversations/templateValues.ts',
      change: ['const name = toSingleLine(lead.name);', 'const name = lead.name;'],
      failing: 'keeps a name on one line',
    },
  },
  'src/conversations/classifyTurn.test.ts': {
    'One answer of a model is a success': {
      file: 'src/conversations/classifyConversation.ts',
      change: [
        "if (!confirmationPrompt && stage === 'refused') return toOutcome(null);",
        'if (!confirmationPrompt) return toOutcome(null);',
      ],
      failing: 'confirms a success by a second question, so that a lead cannot dictate it',
    },
    'The check of a success takes any answer': {
      file: 'src/conversations/judgeQuestions.ts',
      change: ['code: z.literal(code),', 'code: z.string().optional(),'],
      failing: 'confirms a success by a second question, so that a lead cannot dictate it',
    },
  },
  'src/platform/outboundCallers.test.ts': {
    'A name that is missing is told from one of this network': {
      file: 'src/platform/outbound.ts',
      change: [
        'const addresses = error ? [] : found;',
        `if (error) return callback(error, '');
          const addresses = found;`,
      ],
      failing: 'refuses an internal name in the same words as an unknown one',
    },
  },
};
