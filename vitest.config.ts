import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** `npm run test:all`: the long ones too (`*.long.test.ts`), and all of what `npm test` takes a part of. */
const ALL = process.env['RAPPORT_TESTS'] === 'all';

/** What takes longest comes first: begun last, it would leave the other workers with nothing to do. */
const LONG = [
  'outbox/kill',
  'http/hostile',
  'crm/kill',
  'journeys/',
  'simulate/',
  'chaos/',
  'Kill',
  'http/bounds',
  'http/badInput',
  'manyLeads',
  'invalidRepl',
  'outreach/send',
  'conversations/reply',
  'conversations/classifyTurn',
  'postgres/supervisor',
  'outbox/deliver',
  'jobs/runner',
  'databaseUnavailable',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const index = LONG.findIndex((part) => moduleId.includes(part));
      return index < 0 ? LONG.length : index;
    };
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
    exclude: ALL ? [] : ['**/*.long.test.ts'],
    globalSetup: ['src/testing/globalSetup.ts'],
    setupFiles: ['src/testing/seed.ts'],
    // Processes, not threads: tests signal, kill and change directories.
    pool: 'forks',
    // For two cores: two thirds of a test's time is waiting for servers and browsers of its own.
    maxWorkers: 4,
    // Modules are loaded once for each worker: nothing in them remembers one test's world beyond its end.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Far beyond what anything takes: a machine may be busy with something else.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    restoreMocks: true,
    passWithNoTests: false,
  },
});
