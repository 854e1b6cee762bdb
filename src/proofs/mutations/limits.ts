/** Mutations of budgets, admission control and checks of what models and pages send. */
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
      disabled: 'if (bytes > MAX_ANSWER_BYTES)',
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
      change: ['await doer?.lockRights?.(tx, its);', 'void [doer, its];'],
      failing: 'returns no text',
    },
  },
  'src/conversations/invalidReply.test.ts': {
    'Invisible characters hide a leaked prompt': {
      change: ['[\\p{Default_Ignorable_Code_Point}\\p{Cf}\\p{M}]', '[\\p{Co}]'],
      failing: 'with a zero-width character in each word',
    },
    'Letters of another width hide a leaked prompt': {
      change: ["normalizeText(text, 'NFKD')", "normalizeText(text, 'NFD')"],
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
  'src/llm/wire/wire.test.ts': {
    'An event of any length is read': {
      file: 'src/llm/wire/readEvents.ts',
      removed: 'maxBufferSize: MAX_EVENT,',
      failing: 'is refused, and its connection ended',
    },
    'A stream that ended early counts as an answer': {
      file: 'src/llm/wire/answer.ts',
      change: ["finish: FinishReason = 'interrupted';", "finish: FinishReason = 'stop';"],
      failing: 'is refused, and its connection ended',
    },
    'A tool that was not offered counts as one': {
      file: 'src/llm/wire/answer.ts',
      change: ['read.ok && toolNames.has(name) ? null', 'read.ok ? null'],
      failing: 'are returned with a fault where there is no such tool',
    },
    'Arguments of a call may have any key': {
      file: 'src/llm/wire/answer.ts',
      removed: "refuseUnstorable('body', input);",
      failing: 'are returned with a fault where there is no such tool',
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
  'src/platform/http/admission.test.ts': {
    'A login that is sent slowly occupies a slot': {
      file: 'src/platform/http/authorize.ts',
      removed: "'login', ",
      failing: 'takes no login slot while a slow client sends its body',
    },
    'An operator has no limit of their own': {
      change: ["isAtLimit(one, 'inside')", "one === 'operator:0'"],
      failing:
        "answers 429 beyond an operator's share and 503 beyond the node's capacity, and serves others and probes meanwhile",
    },
    'Slots go to the first to arrive': {
      removed: " && !parties.some((one) => isAtLimit(one, 'running'))",
      failing: 'shares slots fairly: the caller with the fewest running requests is next, and none takes all',
    },
    'A hook is read before its secret is checked': {
      file: 'src/platform/http/authorize.ts',
      change: [
        'if (party !== null) return { caller: null, party };\n      secret',
        'if (party !== null || params !== undefined) return { caller: null, party: party ?? address };\n      secret',
      ],
      failing: 'refuses a webhook with an unknown secret before reading its body, and stores good ones meanwhile',
    },
    'A hook can contain any number of items': {
      file: 'src/inbox/ingest.ts',
      disabled: 'if (countListedItems(body) > MAX_HOOK_ITEMS) {',
      failing: 'refuses a webhook with more than 500 items as a whole',
    },
  },
  'src/outbox/hangs.test.ts': {
    'Calls that wait for a model count as calls that wait for the database': {
      file: 'src/platform/http/admission.ts',
      change: ["'hooks' : endpoint.load", "'hooks' : 'calls'"],
      failing: 'answers lists, logins and other companies while hundreds of model calls hang',
    },
  },
  'src/access/guessing.test.ts': {
    'A blocked sign-in waits among others who sign in': {
      file: 'src/access/signIn.ts',
      disabled: 'if (seconds > 0) throw',
      failing: 'refuses further guesses without asking the database',
    },
  },
  'src/platform/http/listQuery.test.ts': {
    'A filter without values counts as one by product': {
      file: 'src/platform/http/listQuery.ts',
      change: ['Array.isArray(values) && values.length > 0', 'Array.isArray(values)'],
      failing: 'leaves the scope out only if a filter implies it',
    },
    'A connection keeps every statement': {
      file: 'src/platform/statements.ts',
      change: ['names.size <= MAX_PREPARED[kind] || oldest === undefined', 'true'],
      failing: "evicts prepared statements beyond a connection's limit, and prepares them again when needed",
    },
    'A list uses another statement for each number of values': {
      change: ['`= any(${bind(values)})`', '`= any(array[${values.map((one) => bind(one)).join()}])`'],
      failing: 'however many values it has',
    },
  },
  'src/platform/http/files.test.ts': {
    'Any path beside the assets is looked up': {
      change: ['if (assets.has(file)) return', 'return'],
      failing: 'answers 404 to a path that is not an asset',
    },
  },
  'src/platform/http/answerHeaders.test.ts': {
    'A malformed request is answered without our headers': {
      file: 'src/platform/http/malformedRequest.ts',
      removed: '...headers,',
      failing: 'sends the security headers with a response that reaches no route',
    },
  },
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
