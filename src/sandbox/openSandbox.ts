/**
 * The sandbox: emulated vendors, the demo, the leads' phones, a clock that can be moved. Loaded by `loadSandbox.ts`
 * alone, and never in production.
 */
import type { AppContext } from '../platform/appContext.ts';
import type { Config } from '../platform/config.ts';
import type { Log } from '../platform/log.ts';
import { connectDemo, seedDemo } from './demo.ts';
import { connectDemoCrm } from './demoCrm.ts';
import { DEMO_LOGIN, DEMO_PASSWORD } from './demoOperator.ts';
import { followClock } from './domainClock.ts';
import { sandboxRoutes } from './routes.ts';
import { registerFreeAccounts } from './sandboxKeys.ts';
import { type Emulators, startEmulators } from './startEmulators.ts';

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/** Open the sandbox with the emulators that are already being started; otherwise take over running ones, or start them. */
export async function openSandbox(config: Config, log: Log, starting: Promise<Emulators> | null) {
  const emulators = await (starting ?? startEmulators(config, log));
  const { url, control } = emulators;
  const warn = (sentence: string) => (error: unknown) => log.warn({ error: String(error) }, sentence);
  return {
    /** Configuration with every vendor's address on this machine. */
    config: {
      ...config,
      vendorUrls: { wazzup24: `${url}/wazzup24`, chatpush: `${url}/chatpush`, amocrm: url },
      llmUrls: { chatgpt: `${url}/openai/v1`, gemini: `${url}/gemini/v1beta`, anthropic: `${url}/anthropic/v1` },
    },
    /** The operator whom the login page fills in; null without the demo. */
    demoOperator: config.demo ? { login: DEMO_LOGIN, password: DEMO_PASSWORD } : null,
    /** Routes that only a sandbox serves. */
    routes: (context: AppContext) => sandboxRoutes(context, control),
    /** Create the demo and set the emulators' clock. Runs before the jobs start. */
    async prepare(context: AppContext): Promise<void> {
      if (config.demo) await seedDemo(context, { hasHistory: true });
      await followClock(context, control);
      // Connect the demo's CRM before the first sync of the account: the emulators may have lost the connection.
      if (config.demo) await connectDemoCrm(context, control).catch(warn("the demo's CRM is not connected yet"));
    },
    /** Offer the free numbers, and connect the demo's channels if there is a demo. Runs when the jobs are running. */
    async connect(context: AppContext): Promise<void> {
      await registerFreeAccounts(control).catch(warn('the free numbers are not offered yet'));
      if (config.demo) await connectDemo(context, control).catch(warn('the emulators are not connected yet'));
    },
    /** `leave` keeps the emulators running for another process that uses them. */
    close: (how: 'stop' | 'leave'): Promise<void> => (how === 'stop' ? emulators.stop() : emulators.release()),
  };
}
