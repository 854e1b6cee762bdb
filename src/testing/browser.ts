/** A real browser for journeys: the system's Chromium, and the product in a separate process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from '@playwright/test';

/**
 * Only the last of several lists takes effect, so this one repeats the features that Playwright disables. Ours are
 * added because each window of a new Chromium preloads two hidden pages for its address bar. [0.8 s of CPU for each
 * page that a test opens]
 */
const DISABLED_FEATURES = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
];

/** Without most of these Chromium accesses the network at every start. */
const ARGS = [
  `--disable-features=${DISABLED_FEATURES.join()}`,
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
  /** Open a new profile without a session. Console errors of its pages are collected in `errors`. */
  context(options?: { scheme?: 'light' | 'dark'; width?: number; height?: number }): Promise<BrowserContext>;
  readonly errors: string[];
  /** Return the errors since the last call, without failed requests: those are intended, and the page shows them. */
  takeErrors(): string[];
  /** Close all open pages, so that a test leaves nothing to the next. */
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/** A running browser, with a function that ends it and removes its profile folder. */
interface RunningBrowser {
  readonly browser: Browser;
  readonly end: () => Promise<void>;
}

/** Start the Chromium that `npm test` found (`RAPPORT_CHROMIUM`), else the one at the usual path. */
async function launch(): Promise<RunningBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'rapport-browser-'));
  const remove = (): void => rmSync(profile, { recursive: true, force: true });
  process.once('exit', remove);
  const browser = await chromium.launch({
    executablePath: process.env['RAPPORT_CHROMIUM'] || '/usr/bin/chromium',
    args: ARGS,
    env: { ...process.env, HOME: profile },
  });
  return {
    browser,
    async end() {
      await browser.close();
      process.off('exit', remove);
      remove();
    },
  };
}

let shared: Promise<RunningBrowser> | null = null;

/** Share one browser per process, closed when the process ends: the test files of a worker run one after the other. */
export async function shareBrowser(): Promise<TestBrowser> {
  shared ??= launch();
  const { browser } = await shared;
  const own = asTestBrowser(browser);
  return { ...own, close: own.closePages };
}

/** Open a browser for the caller alone. */
export async function openBrowser(): Promise<TestBrowser> {
  const { browser, end } = await launch();
  return { ...asTestBrowser(browser), close: end };
}

function asTestBrowser(browser: Browser): Omit<TestBrowser, 'close'> {
  const errors: string[] = [];
  return {
    browser,
    errors,
    takeErrors: () => errors.splice(0).filter((one) => !one.startsWith('Failed to load resource')),
    async closePages() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    async context({ scheme = 'light', width = 1280, height = 800 } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        // Tests need not wait for animations, and pages do not move while they are checked.
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId: 'UTC',
      });
      context.setDefaultTimeout(45_000);
      context.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      context.on('weberror', (error) => errors.push(String(error.error())));
      return context;
    },
  };
}
