/** A real browser for journeys: the system's Chromium, and a product in its own process to point it at. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium } from '@playwright/test';

/**
 * Of several lists the last one counts, so what Playwright switches off stands here too. Of ours: each window of a new
 * Chromium keeps two hidden pages ready for its address bar. [0.8 s of CPU for each page that a test opens]
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

/** Without most of these Chromium looks for the network at every start. */
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
  /** A fresh profile: nobody is signed in. Console errors of its pages land in `errors`. */
  context(options?: { scheme?: 'light' | 'dark'; width?: number; height?: number }): Promise<BrowserContext>;
  readonly errors: string[];
  /** The errors since it was last asked, without failed requests: those are on purpose, and the page tells of them. */
  takeErrors(): string[];
  /** Closes all that is open in it: a test leaves nothing to the next. */
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/** A browser that is running, and the folder of its own that goes with it. */
interface RunningBrowser {
  readonly browser: Browser;
  readonly end: () => Promise<void>;
}

/** Starts the Chromium that `npm test` found (`RAPPORT_CHROMIUM`), else the usual place's. */
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

/** The browser of this process, which ends with it: the test files of a worker come one after the other. */
export async function shareBrowser(): Promise<TestBrowser> {
  shared ??= launch();
  const { browser } = await shared;
  const own = asTestBrowser(browser);
  return { ...own, close: own.closePages };
}

/** A browser for the caller alone. */
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
  };
}
