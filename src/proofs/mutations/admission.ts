/**
 * Mutations of admission control, which keeps one caller from blocking others: classes, shares, hooks, logins,
 * statements.
 */
import type { MutationsByTest } from './mutation.ts';

export const ADMISSION_MUTATIONS: MutationsByTest = {
  'src/platform/http/admission.test.ts': {
    'A login that is sent slowly keeps a place': {
      file: 'src/platform/http/authorize.ts',
      change: ["= ['login', 'public'];", "= ['public'];"],
      failing: 'takes no login slot while a slow client sends its body',
    },
    'An operator has no share of his own': {
      file: 'src/platform/http/admission.ts',
      change: [
        "const exhaustedParty = parties.find((one) => isAtLimit(one, 'inside'));",
        "const exhaustedParty = parties.find((one) => one === 'operator:0');",
      ],
      failing:
        "answers 429 beyond an operator's share and 503 beyond the node's capacity, and serves others and probes meanwhile",
    },
    'The first to come are served, whoever they are': {
      file: 'src/platform/http/admission.ts',
      change: [
        "total.running < capacity.running && !parties.some((one) => isAtLimit(one, 'running'));",
        'total.running < capacity.running && parties.length > 0;',
      ],
      failing: 'shares slots fairly: the caller with the fewest running requests is next, and none takes all',
    },
    'A hook is read before its secret is known': {
      file: 'src/platform/http/authorize.ts',
      change: [
        `if (party !== null) return { caller: null, party };
      secret`,
        `if (party !== null || params !== undefined) return { caller: null, party: party ?? address };
      secret`,
      ],
      failing: 'refuses a webhook with an unknown secret before reading its body, and stores good ones meanwhile',
    },
    'A hook lists as many items as it likes': {
      file: 'src/inbox/ingest.ts',
      change: ['if (countListedItems(body) > MAX_HOOK_ITEMS) {', 'if (countListedItems(body) < 0) {'],
      failing: 'refuses a webhook with more than 500 items as a whole',
    },
  },
  'src/outbox/hangs.test.ts': {
    'Calls that wait for a model are counted with those that wait for the database': {
      file: 'src/platform/http/admission.ts',
      change: [
        "return endpoint.load === 'hook' ? 'hooks' : endpoint.load;",
        "return endpoint.load === 'hook' ? 'hooks' : 'calls';",
      ],
      failing: 'answers lists, logins and other companies while hundreds of model calls hang',
    },
  },
  'src/access/guessing.test.ts': {
    'Whoever has had his tries waits among those who log in': {
      file: 'src/access/signIn.ts',
      change: ['if (seconds > 0) throw', 'if (seconds < 0) throw'],
      failing: 'refuses further guesses without asking the database',
    },
  },
  'src/platform/http/listQuery.test.ts': {
    'A connection keeps every statement': {
      file: 'src/platform/statements.ts',
      change: [
        'if (names.size <= MAX_PREPARED[kind] || oldest === undefined) return;',
        'if (names.size < 0 || oldest !== undefined) return;',
      ],
      failing: "evicts prepared statements beyond a connection's limit, and prepares them again when needed",
    },
    'A list is another statement for each number of values': {
      file: 'src/platform/http/listQuery.ts',
      change: ['`= any(${bind(values)})`', '`= any(array[${values.map((one) => bind(one)).join()}])`'],
      failing: 'however many values it has',
    },
  },
  'src/platform/http/files.test.ts': {
    'Any file beside the assets is looked for': {
      file: 'src/platform/http/files.ts',
      change: ['wildcard: false,', 'wildcard: true,'],
      failing: 'answers 404 to a path that is not an asset',
    },
  },
  'src/platform/http/answerHeaders.test.ts': {
    'What is no HTTP is answered without our headers': {
      file: 'src/platform/http/malformedRequest.ts',
      change: [
        `    ...headers,
`,
        '',
      ],
      failing: 'sends the security headers with a response that reaches no route',
    },
  },
};
