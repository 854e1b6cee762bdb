/** A real browser for journeys: the system's Chromium, and a product in its own process to point it at. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from '@playwright/test';

/** Without these Chromium looks for the network at every start. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface TestBrowser {
  readonly browser: Browser;
  /** A fresh profile: nobody is signed in. Console errors of its pages land in `errors`. */
  context(options?: { scheme?: 'light' | 'dark'; width?: number; height?: number }): Promise<BrowserContext>;
  readonly errors: string[];
  /** The errors since it was last asked, without failed requests: those are on purpose, and the page tells of them. */
  faults(): string[];
  /** Closes what `context` opened: a test leaves nothing to the next. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the Chromium that `npm test` found (`RAPPORT_CHROMIUM`), else the usual place's. */
export async function openBrowser(): Promise<TestBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'rapport-browser-'));
  const browser = await chromium.launch({
    executablePath: process.env['RAPPORT_CHROMIUM'] || '/usr/bin/chromium',
    args: ARGS,
    env: { ...process.env, HOME: profile },
  });
  const errors: string[] = [];
  return {
    browser,
    errors,
    faults: () => errors.splice(0).filter((one) => !one.startsWith('Failed to load resource')),
    async leave() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    async context({ scheme = 'light', width = 1280, height = 800 } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        // Nothing waits for an animation, and what is looked at stands still.
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId: 'UTC',
      });
      context.setDefaultTimeout(15_000);
      context.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      context.on('weberror', (error) => errors.push(String(error.error())));
      return context;
    },
    async close() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
