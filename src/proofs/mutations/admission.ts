/**
 * Mutations of admission control, which keeps one caller from blocking others: classes, shares, hooks, logins,
 * statements.
 */
import type { Mutation } from './core.ts';

const ADMISSION = 'src/platform/http/admission.test.ts';
const GUESSING = 'src/access/guessing.test.ts';
const HEADERS = 'src/platform/http/answerHeaders.test.ts';

export const ADMISSION_MUTATIONS: readonly Mutation[] = [
  {
    name: 'A login that is sent slowly keeps a place',
    file: 'src/platform/http/authorize.ts',
    from: "= ['login', 'public'];",
    to: "= ['public'];",
    test: ADMISSION,
    testName: 'takes no login slot while a slow client sends its body',
  },
  {
    name: 'An operator has no share of his own',
    file: 'src/platform/http/admission.ts',
    from: `const exhaustedParty = parties.find((one) => isAtLimit(one, 'inside'));`,
    to: `const exhaustedParty = parties.find((one) => one === 'operator:0');`,
    test: ADMISSION,
    testName:
      "answers 429 beyond an operator's share and 503 beyond the node's capacity, and serves others and probes meanwhile",
  },
  {
    name: 'The first to come are served, whoever they are',
    file: 'src/platform/http/admission.ts',
    from: `total.running < capacity.running && !parties.some((one) => isAtLimit(one, 'running'));`,
    to: 'total.running < capacity.running && parties.length > 0;',
    test: ADMISSION,
    testName: 'shares slots fairly: the caller with the fewest running requests is next, and none takes all',
  },
  {
    name: 'Calls that wait for a model are counted with those that wait for the database',
    file: 'src/platform/http/admission.ts',
    from: "return endpoint.load === 'hook' ? 'hooks' : endpoint.load;",
    to: "return endpoint.load === 'hook' ? 'hooks' : 'calls';",
    test: 'src/outbox/hangs.test.ts',
    testName: 'answers lists, logins and other companies while hundreds of model calls hang',
  },
  {
    name: 'A hook is read before its secret is known',
    file: 'src/platform/http/authorize.ts',
    from: 'if (party !== null) return { caller: null, party };\n      secret',
    to: 'if (party !== null || params !== undefined) return { caller: null, party: party ?? address };\n      secret',
    test: ADMISSION,
    testName: 'refuses a webhook with an unknown secret before reading its body, and stores good ones meanwhile',
  },
  {
    name: 'A hook lists as many items as it likes',
    file: 'src/inbox/ingest.ts',
    from: 'if (countListedItems(body) > MAX_HOOK_ITEMS) {',
    to: 'if (countListedItems(body) < 0) {',
    test: ADMISSION,
    testName: 'refuses a webhook with more than 500 items as a whole',
  },
  {
    name: 'Whoever has had his tries waits among those who log in',
    file: 'src/access/signIn.ts',
    from: 'if (seconds > 0) throw',
    to: 'if (seconds < 0) throw',
    test: GUESSING,
    testName: 'refuses further guesses without asking the database',
  },
  {
    name: 'A connection keeps every statement',
    file: 'src/platform/statements.ts',
    from: 'if (names.size <= MAX_PREPARED[kind] || oldest === undefined) return;',
    to: 'if (names.size < 0 || oldest !== undefined) return;',
    test: 'src/platform/http/listQuery.test.ts',
    testName: "evicts prepared statements beyond a connection's limit, and prepares them again when needed",
  },
  {
    name: 'A list is another statement for each number of values',
    file: 'src/platform/http/listQuery.ts',
    from: '`= any(${bind(values)})`',
    to: '`= any(array[${values.map((one) => bind(one)).join()}])`',
    test: 'src/platform/http/listQuery.test.ts',
    testName: 'however many values it has',
  },
  {
    name: 'Any file beside the assets is looked for',
    file: 'src/platform/http/files.ts',
    from: 'wildcard: false,',
    to: 'wildcard: true,',
    test: 'src/platform/http/files.test.ts',
    testName: 'answers 404 to a path that is not an asset',
  },
  {
    name: 'What is no HTTP is answered without our headers',
    file: 'src/platform/http/malformedRequest.ts',
    from: '    ...headers,\n',
    to: '',
    test: HEADERS,
    testName: 'sends the security headers with a response that reaches no route',
  },
];
