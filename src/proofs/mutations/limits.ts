/** Mutations of budgets, and of what ends when an operator loses rights or is checked again. */
import type { MutationsByTest } from './mutation.ts';

export const LIMITS_MUTATIONS: MutationsByTest = {
  'src/outreach/eventLoop.test.ts': {
    'Plans are computed in the thread that answers requests': {
      file: 'src/outreach/rehearsalRoutes.ts',
      change: [
        'return await context.threads.run(rehearsalThreadKind, { key: String(product.company_id), input, signal });',
        "return await (await import('./computeInThread.ts')).computeInThread(context.reader, input);",
      ],
      failing: 'answers others while five large plans of one company are computed',
    },
  },
  'src/platform/threads.test.ts': {
    'One company can use all threads': {
      disabled: 'if (busyKeys.has(key)) continue;',
      failing: 'runs one task for each key at a time, keys in turn',
    },
    'One company can queue work without a limit': {
      change: ['tasks.length >= kind.waiting.ofKey', 'tasks.length < 0'],
      failing: 'bounds the queue for each key and in total, and removes cancelled tasks',
    },
    'Work in a thread has no time limit': {
      change: ['}, kind.budgetMs);', '}, kind.budgetMs * 10_000);'],
      failing: 'ends work that exceeds its time budget, and runs the next',
    },
  },
  'src/prompts/prompt.test.ts': {
    'A template has no time limit': {
      file: 'src/prompts/template.ts',
      disabled: 'if ((user + system) / 1000 > RENDER_MS)',
      failing: 'refuses a template whose empty loops exceed 50 ms of CPU time',
    },
    'A rendered template has no length limit': {
      file: 'src/prompts/template.ts',
      change: ['const MAX_OUTPUT = 1_000_000;', 'const MAX_OUTPUT = 1_000_000_000;'],
      failing: 'more than a million characters of values',
    },
  },
  'src/studio/playground.test.ts': {
    "A model's answer has no length limit": {
      file: 'src/llm/modelAttempt.ts',
      disabled: 'if (bytes > MAX_ANSWER_BYTES) return',
      failing: 'ends an answer at 256 KB',
    },
    'The playground keeps the whole conversation': {
      disabled: 'while (length > MAX_HISTORY_LENGTH)',
      failing: 'sends the model the last 200,000 characters of the conversation',
    },
  },
  'src/studio/revokedAccess.test.ts': {
    "A document is sent although the operator's access was revoked": {
      file: 'src/conversations/writeDocument.ts',
      change: ['await input.caller?.lockRights?.(tx, [{', 'void (tx, [{'],
      failing: 'sends and stores no document',
    },
    'A generated text is returned although access was revoked': {
      file: 'src/platform/audit.ts',
      removed: 'await doer?.lockRights?.(tx, its);',
      failing: 'returns no text',
    },
  },
  'src/conversations/invalidReply.test.ts': {
    'Invisible characters hide a leaked prompt': {
      change: ['[\\p{Default_Ignorable_Code_Point}\\p{Cf}\\p{M}]', '[\\p{Co}]'],
      failing: 'with a zero-width character in each word',
    },
    'Letters of another width hide a leaked prompt': {
      change: [".normalize('NFKD')", ".normalize('NFD')"],
      failing: 'in full-width letters',
    },
  },
  'src/conversations/templateValues.test.ts': {
    'A name can add lines to the system text': {
      change: ['const name = toSingleLine(lead.name);', 'const name = lead.name;'],
      failing: 'keeps a name on one line',
    },
  },
  'src/conversations/classifyTurn.test.ts': {
    'One answer of a model is enough for a success': {
      file: 'src/conversations/classifyConversation.ts',
      removed: " && stage === 'refused'",
      failing: 'confirms a success by a second question, so that a lead cannot dictate it',
    },
    'Any answer confirms a success': {
      file: 'src/conversations/judgeQuestions.ts',
      change: ['code: z.literal(code),', 'code: z.string().optional(),'],
      failing: 'confirms a success by a second question, so that a lead cannot dictate it',
    },
  },
  'src/platform/outboundCallers.test.ts': {
    'The error for an unknown name differs from that for an internal one': {
      file: 'src/platform/outbound.ts',
      change: [
        'const addresses = error ? [] : found;',
        "if (error) return callback(error, '');\n          const addresses = found;",
      ],
      failing: 'refuses an internal name in the same words as an unknown one',
    },
  },
};
