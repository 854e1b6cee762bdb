import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
    globalSetup: ['src/testing/globalSetup.ts'],
    // Processes, not threads: tests signal, kill and change directories.
    pool: 'forks',
    // Most of a test's time is waiting for servers and browsers of its own: one worker would leave a core idle.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    passWithNoTests: false,
  },
});
