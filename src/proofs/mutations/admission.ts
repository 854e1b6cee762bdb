/**
 * Mutations of admission control, which keeps one caller from blocking others: classes, shares, hooks, logins,
 * statements.
 */
import type { MutationsByTest } from './mutation.ts';

export const ADMISSION_MUTATIONS: MutationsByTest = {
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
      change: ['wildcard: false,', 'wildcard: true,'],
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
};
