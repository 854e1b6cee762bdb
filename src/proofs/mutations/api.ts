/** Mutations of the specification's sockets, forms and API. */
import type { MutationsByTest } from './mutation.ts';

export const API_MUTATIONS: MutationsByTest = {
  'src/ui/chatSocket.test.ts': {
    'A connection that stayed open has no new attempts': {
      file: 'src/ui/chatSocket.ts',
      removed: 'timer = setTimeout(resetAttempts, STABLE_MS);',
      failing: 'has 3 attempts again once a connection without messages stayed open for 10 s',
    },
  },
  'src/ui/bounds.test.ts': {
    'A number above its bounds is kept': {
      file: 'src/ui/bounds.ts',
      change: ['Math.min(max, Math.max(min, value))', 'Math.max(min, value)'],
      failing: 'corrects a number to the nearest within the bounds',
    },
  },
  'src/proofs/journeys/entry.test.ts': {
    'The login page goes back by itself after a 401': {
      file: 'src/console/login.tsx',
      change: ['if (!isExpired && (await continueIfSignedIn())) return;', 'if (await continueIfSignedIn()) return;'],
      failing: 'stays at the login page when one endpoint refuses a valid session',
    },
  },
  'src/assistant/pages/conversationState.test.ts': {
    'A confirmed call waits for a frame that the specification does not have': {
      file: 'src/assistant/pages/conversationState.ts',
      change: ['=> confirm !== undefined', '=> confirm !== false'],
      failing: 'without a confirm field ask the operator first',
    },
  },
  'src/assistant/chat.test.ts': {
    'Call ids must be UUIDs': {
      file: 'src/assistant/contract.ts',
      change: ['const callId = z.string().min(1).max(200)', 'const callId = z.uuid()'],
      failing: 'answers a call id of any form, though it knows no such call: call_1',
    },
  },
  'src/products/pages/settings.test.ts': {
    'A vendor without a model is shown as the one that answers': {
      file: 'src/products/pages/settings.ts',
      change: ['isDefault: own === null || isIncomplete', 'isDefault: own === null'],
      failing: 'leaves the answer to the default, and says so',
    },
    'A product is saved for which nothing would answer': {
      file: 'src/products/pages/settings.ts',
      change: ['vendors.has(substitute.vendor)) return [];', 'true) return [];'],
      failing: 'cannot be saved where the default has no key, so that nothing would answer',
    },
  },
  'src/llm/settings.test.ts': {
    'The models of the specification are not offered first': {
      file: 'src/llm/settings.ts',
      change: ["[...namedModels('chatgpt'), 'gpt-4o-mini'", "['gpt-4o-mini', ...namedModels('chatgpt')"],
      failing: 'lists the models of the specification first',
    },
  },
  'src/platform/http/lists.test.ts': {
    'Messages are not filtered by lead': {
      file: 'src/outbox/routes.ts',
      change: ['on c.id = d.contact_id where c.lead_id = $', 'on c.id = d.contact_id where c.lead_id >= $'],
      failing: 'filters by what rows belong to',
    },
  },
  'src/platform/http/copies.test.ts': {
    'A phone number must be text': {
      file: 'src/leads/contract.ts',
      change: ['contact: externalId(z.string().trim().min(1).max(200))', 'contact: z.string().trim().min(1).max(200)'],
      failing: 'may be a number in every body, and is stored as text',
    },
  },
  'src/sandbox/demo.test.ts': {
    'The planner takes the tables of a new demo for empty ones': {
      file: 'src/sandbox/demo.ts',
      removed: 'await sql`select analyze_tables()`.execute(tx);',
      failing: 'leaves the planner with the sizes of its tables',
    },
  },
  'src/platform/threads.test.ts': {
    'A task waits for as long as it takes': {
      file: 'src/platform/threads.ts',
      removed: 'if (kind.waiting.ms !== null) task.timer = setTimeout(() => drop(overloaded()), kind.waiting.ms);',
      failing: 'refuses a task that has waited too long, and none that runs',
    },
  },
};
