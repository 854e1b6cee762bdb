/** Puts the house together: rooms lean leftward by themselves; what must be called to the right is handed in here. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { masterChatRoute } from './assistant/chat.ts';
import { assistantSweep } from './assistant/jobs.ts';
import { bearerCheck, hookOwners } from './channels/account.ts';
import { channelSweeps, channelTasks } from './channels/jobs.ts';
import { channelRoutes } from './channels/routes.ts';
import { chatbotRoutes, classificationPrompts, classificationUses } from './chatbot/routes.ts';
import { companyRoutes } from './companies/routes.ts';
import { createReach } from './companies/scope.ts';
import { crmSweeps, crmTasks } from './crm/jobs.ts';
import { leaveCrm } from './crm/leaveCrm.ts';
import { crmRoutes } from './crm/routes.ts';
import { forgetLeads } from './dialogues/forget.ts';
import { dialogueSweeps, dialogueTasks } from './dialogues/jobs.ts';
import { silence } from './dialogues/ownership.ts';
import { resumeAnswers } from './dialogues/resume.ts';
import { dialogueRoutes } from './dialogues/routes.ts';
import { countTalks, talkedWith } from './dialogues/store/talks.ts';
import { createStreams } from './dialogues/stream.ts';
import { beat, beginLife, burySweep, endLife } from './jobs/nodes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { type JobRunner, SWEEP_CHANNEL, startJobs } from './jobs/runner.ts';
import { tidySweep } from './jobs/tidy.ts';
import { leadDocumentRoutes } from './leads/documentRoutes.ts';
import { leadEventRoutes } from './leads/eventRoutes.ts';
import { leadRoutes } from './leads/routes.ts';
import { llmRoutes } from './llm/routes.ts';
import { auditRoutes } from './operators/auditRoutes.ts';
import { networkOf } from './operators/network.ts';
import { operatorRoutes, sessionCookie } from './operators/routes.ts';
import { createSessions, sessionCheck } from './operators/session.ts';
import { createGate } from './outreach/gate.ts';
import { outreachSweeps, outreachTasks } from './outreach/jobs.ts';
import { outreachRoutes, pingPrompts, pingUses } from './outreach/routes.ts';
import { type Config, isLoopback, type Mode } from './platform/config.ts';
import { openDb } from './platform/db.ts';
import type { Ground } from './platform/ground.ts';
import { createHand } from './platform/hand.ts';
import { healthRoutes } from './platform/health.ts';
import { admissionOf } from './platform/http/admission.ts';
import type { CallerOf } from './platform/http/caller.ts';
import { serveConsole, unknownPage } from './platform/http/files.ts';
import { documentRoutes } from './platform/http/openapi.ts';
import { rightsChanges } from './platform/http/revocation.ts';
import type { Route } from './platform/http/routes.ts';
import { createServer, retire } from './platform/http/server.ts';
import { ids } from './platform/ids.ts';
import { openSeal, settleMode } from './platform/installation.ts';
import { LIVE_CHANNEL, openLive } from './platform/live.ts';
import type { Log } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import { migrate } from './platform/migrate.ts';
import { createOutbound } from './platform/outbound.ts';
import type { Postgres } from './platform/postgres/supervisor.ts';
import { createThreads } from './platform/threads.ts';
import { VERSION } from './platform/version.ts';
import { productRoutes } from './products/routes.ts';
import { checkProductConfig, initialUses } from './prompts/known.ts';
import { promptRoutes } from './prompts/routes.ts';
import { createGauges } from './reports/gauges.ts';
import { reportRoutes } from './reports/routes.ts';
import { followClock } from './sandbox/clock.ts';
import { connectDemo, seedDemo } from './sandbox/demo.ts';
import { connectDemoCrm } from './sandbox/demoCrm.ts';
import { installationRoute } from './sandbox/installation.ts';
import { openSandbox, type Sandbox } from './sandbox/open.ts';
import { sandboxRoutes } from './sandbox/routes.ts';
import { scopes } from './scopes.ts';

const CONSOLE = join(import.meta.dirname, '../dist/console');
/** What runs gets so long to end by itself when the server stops. */
const STOP_SECONDS = 6;
/** For so many looks a row may say that it is in our hand while nobody here knows of it. */
const LOST_LOOKS = 10;
/** What is being answered then gets so long. */
const ANSWER_SECONDS = 2.5;

/** Own origin; in the sandbox this machine's names on our port are one. */
function originCheck(config: Config, mode: Mode): (origin: string) => boolean {
  const own = new URL(config.publicUrl);
  return (origin) => {
    if (origin === own.origin) return true;
    if (mode !== 'sandbox' || !URL.canParse(origin)) return false;
    const given = new URL(origin);
    return (
      given.origin === origin &&
      given.protocol === own.protocol &&
      isLoopback(given.hostname) &&
      isLoopback(own.hostname) &&
      given.port === own.port
    );
  };
}

export interface House {
  readonly ground: Ground;
  /** Every declared endpoint that is served; the matrices of tests are made from it. */
  readonly routes: readonly Route[];
  readonly stop: () => Promise<void>;
}

/** What was begun before the house was built, and ends with it. */
interface Begun {
  /** The embedded one, where the configuration names no other. */
  readonly postgres?: Postgres;
  readonly sandbox?: Promise<Sandbox>;
}

/** Starts a server: migrations, sandbox, HTTP, jobs, as the configuration says. Resolves when it is ready. */
export async function openHouse(config: Config, log: Log, { postgres, sandbox: begun }: Begun = {}): Promise<House> {
  const endings: (() => Promise<unknown>)[] = [];
  const stopOnce = async () => {
    for (const end of endings.reverse())
      await end().catch((error: unknown) => log.warn({ error: String(error) }, 'while stopping'));
  };
  let stopping: Promise<void> | null = null;
  const stop = () => (stopping ??= stopOnce());
  try {
    if (postgres) endings.push(() => postgres.stop());
    // A second process on the same database leaves the emulators to the first.
    const leave = (sandbox: Sandbox) => sandbox.close(postgres ? 'stop' : 'leave');
    if (begun) endings.push(() => begun.then(leave, () => undefined));
    const url = config.databaseUrl ?? postgres?.url ?? '';
    await migrate(config.migrationsUrl ?? postgres?.migrationsUrl ?? url);
    const metrics = createMetrics();
    const db = openDb(url, log, {
      max: config.databaseConnections,
      waitSeconds: config.databaseWaitSeconds,
      metrics,
    });
    endings.push(() => db.close());
    const mode = await settleMode(db.pool, config);
    const seal = await openSeal(db.pool, config);
    const sandbox = mode === 'sandbox' ? await (begun ?? openSandbox(config, log)) : null;
    if (sandbox && !begun) endings.push(() => leave(sandbox));
    const live = await openLive(url, [LIVE_CHANNEL, SWEEP_CHANNEL, 'forget'], log);
    endings.push(() => live.close());
    const outbound = createOutbound({ loopback: mode === 'sandbox', hosts: config.llmHosts });
    endings.push(() => outbound.close());
    const threads = createThreads(url);
    endings.push(() => threads.close());
    const ground: Ground = {
      ...db,
      config: sandbox?.config ?? config,
      mode,
      log,
      seal,
      outbound,
      live,
      threads,
      metrics,
      life: ids.next(),
      hand: createHand(LOST_LOOKS * config.sweepSeconds * 1000),
    };
    const routes = await serve(ground, url, sandbox, endings);
    return { ground, routes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function serve(
  ground: Ground,
  url: string,
  sandbox: Sandbox | null,
  endings: (() => Promise<unknown>)[],
): Promise<readonly Route[]> {
  const { config, log, mode } = ground;
  let runner: JobRunner | null = null;
  const works = config.roles.includes('worker');
  const isRunnerAlive = () => !works || runner?.alive === true;
  const sessions = createSessions(ground);
  const cookie = sessionCookie(config.publicUrl).name;
  const streams = createStreams(ground);
  const find = async (token: string | undefined) => (token ? sessions.find(token, 'active') : null);
  const callerOf: CallerOf = (cookies) => find(cookies[cookie]);
  const owners = hookOwners(ground);
  const missing = createReach(ground, scopes);
  const web: Route[] = [
    ...operatorRoutes(ground, sessions),
    ...auditRoutes(ground),
    ...jobRoutes(ground, () => runner?.lanes() ?? []),
    installationRoute(mode),
    ...companyRoutes(ground),
    ...productRoutes(ground, checkProductConfig),
    ...promptRoutes(ground, {
      counted: [initialUses, pingUses, classificationUses],
      referring: [pingPrompts, classificationPrompts],
    }),
    ...leadRoutes(ground, { silence, forget: forgetLeads, leaveCrm, countTalks, talkedWith }),
    ...leadEventRoutes(ground),
    ...leadDocumentRoutes(ground),
    ...channelRoutes(ground),
    ...llmRoutes(ground, resumeAnswers),
    ...chatbotRoutes(ground, callerOf),
    ...dialogueRoutes(ground, streams, { missing, owners }),
    ...outreachRoutes(ground),
    ...crmRoutes(ground, { sessionToken: (request) => request.cookies[cookie], callerOf: find }),
    ...reportRoutes(ground, { isRunnerAlive, sweeps: () => runner?.sweeps() ?? [] }),
    masterChatRoute(ground, callerOf),
    ...(sandbox ? sandboxRoutes(ground, sandbox.control) : []),
  ];
  const admission = admissionOf(ground);
  let leaving = false;
  const health = healthRoutes(ground, {
    isRunnerAlive,
    isLeaving: () => leaving,
    full: () => admission.full(),
    refreshGauges: createGauges(ground),
  });
  const about = { version: VERSION, url: config.publicUrl, cookie, isSandbox: mode === 'sandbox' };
  const routes = config.roles.includes('web')
    ? [...web, ...health, ...documentRoutes([...web, ...health], about)]
    : health;
  const server = await createServer({
    log,
    routes,
    admission,
    gate: {
      session: sessionCheck(sessions, cookie),
      onChange: rightsChanges(ground.live),
      bearer: bearerCheck(owners),
      addressOf: ({ ip }) => `address:${networkOf(ip)}`,
      missing,
    },
    origin: new URL(config.publicUrl).origin,
    isOurOrigin: originCheck(config, mode),
    sandbox: mode === 'sandbox',
    trustProxy: config.trustProxy,
    secure: config.publicUrl.startsWith('https:'),
    metricsToken: config.metricsToken,
    strictReplies: config.strictReplies,
    isLeaving: () => leaving,
    onDone: (route, method, status, seconds) =>
      ground.metrics.http.observe({ route, method, status: String(status) }, seconds),
    unknownPage: config.roles.includes('web') ? unknownPage(CONSOLE) : null,
  });
  if (config.roles.includes('web')) await serveConsole(server, CONSOLE, mode === 'sandbox');
  let drained: Promise<unknown> = Promise.resolve();
  await server.listen({ host: config.host, port: config.port });
  endings.push(async () => {
    await drained;
    streams.close();
    await retire(server, ANSWER_SECONDS);
  });

  // Only now: whoever holds our port holds our name, and earlier lives of it are over.
  await beginLife(ground, VERSION);
  const heart = setInterval(() => {
    beat(ground, runner?.lockedBy() ?? null).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'heartbeat missed'),
    );
  }, config.heartbeatSeconds * 1000);
  endings.push(async () => {
    clearInterval(heart);
    await endLife(ground);
  });
  if (sandbox && config.roles.includes('web')) {
    if (config.demo) await seedDemo(ground);
    await followClock(ground, sandbox.control);
    // Before anybody looks at the account: what the emulators have forgotten is connected anew.
    if (config.demo)
      await connectDemoCrm(ground, sandbox.control).catch((error: unknown) =>
        log.warn({ error: String(error) }, "the demo's CRM is not connected yet"),
      );
  }
  if (works) {
    const gate = createGate(silence);
    const started = await startJobs(
      ground,
      url,
      [...channelTasks, ...dialogueTasks(gate), ...outreachTasks(gate, silence), ...crmTasks],
      [
        burySweep(),
        tidySweep(),
        assistantSweep(),
        ...channelSweeps,
        ...dialogueSweeps,
        ...outreachSweeps(),
        ...crmSweeps,
      ],
    );
    runner = started;
    endings.push(() => started.stop(STOP_SECONDS));
    await beat(ground, started.lockedBy());
  }
  if (sandbox && config.demo && config.roles.includes('web')) {
    await connectDemo(ground, sandbox.control).catch((error: unknown) =>
      log.warn({ error: String(error) }, 'the emulators are not connected yet'),
    );
  }
  // First of all when it stops; jobs end meanwhile.
  endings.push(async () => {
    leaving = true;
    drained = pause(config.drainSeconds * 1000);
  });
  log.info({ url: config.publicUrl, mode, roles: config.roles, version: VERSION }, 'ready');
  return routes;
}
