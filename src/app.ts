/**
 * Assembles the app. Modules import only modules to their left; functions that they need from the right are injected
 * here.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccessChecker } from './access/accessChecker.ts';
import { auditRoutes } from './access/auditRoutes.ts';
import { companyOfProduct, createCompaniesOfProducts } from './access/companiesOfProducts.ts';
import { networkOf } from './access/network.ts';
import { operatorRoutes, sessionCookie } from './access/routes.ts';
import { createSessions, sessionLookup } from './access/session.ts';
import { masterChatRoute } from './assistant/chat.ts';
import { assistantSweep } from './assistant/jobs.ts';
import { createBearerCheck, createHookOwners } from './channels/account.ts';
import { channelSweeps } from './channels/jobs.ts';
import { channelRoutes } from './channels/routes.ts';
import { companyRoutes } from './companies/routes.ts';
import { viewRoutes } from './companies/viewRoutes.ts';
import {
  classificationPromptUse,
  conversationPromptRoutes,
  countClassificationUses,
} from './conversations/classificationConfigRoutes.ts';
import { conversationSweeps } from './conversations/jobs.ts';
import { leadVerbs } from './conversations/leadVerbs.ts';
import { identifyRecordedOptOuts } from './conversations/optOut.ts';
import { cancelPending } from './conversations/ownership.ts';
import { resumeAfterBudget } from './conversations/resumeAfterBudget.ts';
import { conversationRoutes } from './conversations/routes.ts';
import { LAST_MESSAGE, lastMessageConditions } from './conversations/store/leadColumns.ts';
import { crmSweeps } from './crm/jobs.ts';
import { crmRoutes } from './crm/routes.ts';
import { skipCrmSync } from './crm/skipCrmSync.ts';
import { readOpenAlerts } from './desk/alerts/store/alerts.ts';
import { ensureVapidKeys } from './desk/alerts/vapid.ts';
import { deskSweeps } from './desk/jobs.ts';
import { deskRoutes } from './desk/routes.ts';
import { inboxSweeps } from './inbox/jobs.ts';
import { inboxRoutes } from './inbox/routes.ts';
import { cleanupSweep, deadInstanceSweep } from './jobs/cleanup.ts';
import { joinInstances } from './jobs/joinInstances.ts';
import { jobRoutes } from './jobs/routes.ts';
import { type JobRunner, startJobs } from './jobs/runner.ts';
import { statisticsSweep } from './jobs/statisticsSweep.ts';
import { leadDocumentRoutes } from './leads/documentRoutes.ts';
import { leadEventRoutes } from './leads/eventRoutes.ts';
import { leadRoutes } from './leads/routes.ts';
import { liveRoutes } from './live/routes.ts';
import { createLiveStreams } from './live/streams.ts';
import { lostCallSweep } from './llm/jobs.ts';
import { llmRoutes } from './llm/routes.ts';
import { warnUnreachable } from './llm/warnUnreachable.ts';
import { loadSandbox, type Sandbox, type StartingEmulators } from './loadSandbox.ts';
import { createGauges } from './monitoring/gauges.ts';
import { monitoringRoutes } from './monitoring/routes.ts';
import { outboxSweeps } from './outbox/jobs.ts';
import { outboxRoutes } from './outbox/routes.ts';
import { outcomeSweeps } from './outcomes/jobs.ts';
import { outcomeRoutes } from './outcomes/routes.ts';
import { outreachSweeps } from './outreach/jobs.ts';
import { countStepUses, outreachRoutes, stepPrompts } from './outreach/routes.ts';
import { createSendPolicy } from './outreach/sendPolicy.ts';
import { NEXT_ACTION, nextActionConditions } from './outreach/store/leadColumns.ts';
import type { AppContext } from './platform/appContext.ts';
import type { Config } from './platform/config.ts';
import { healthRoutes, type Stage } from './platform/health.ts';
import { admissionOf } from './platform/http/admission.ts';
import type { FindCaller } from './platform/http/caller.ts';
import { documentRoutes } from './platform/http/documentRoutes.ts';
import { serveConsole, unknownPage } from './platform/http/files.ts';
import { originCheck } from './platform/http/originCheck.ts';
import { subscribeToRightsChanges } from './platform/http/revocation.ts';
import type { Route } from './platform/http/routes.ts';
import { closeGracefully, createServer } from './platform/http/server.ts';
import { ids } from './platform/ids.ts';
import { openSecretCipher, resolveMode } from './platform/installation.ts';
import { installationRoute } from './platform/installationRoute.ts';
import { createClaims } from './platform/lease.ts';
import type { Log } from './platform/log.ts';
import { createMetrics } from './platform/metrics.ts';
import { migrate } from './platform/migrate.ts';
import { LIVE_CHANNEL, openNotifications, SWEEP_CHANNEL } from './platform/notifications.ts';
import { openDb } from './platform/openDb.ts';
import { createOutbound } from './platform/outbound.ts';
import type { Postgres } from './platform/postgres/supervisor.ts';
import { createThreads } from './platform/threads.ts';
import { VERSION } from './platform/version.ts';
import { productRoutes } from './products/routes.ts';
import { checkProductConfig, firstMessageUses } from './prompts/promptReferences.ts';
import { promptRoutes } from './prompts/routes.ts';
import { scopes } from './scopes.ts';
import { createCheckGate } from './studio/gate/checkGate.ts';
import { studioSweeps } from './studio/jobs.ts';
import { studioRoutes } from './studio/routes.ts';
import { webhookSweeps } from './webhooks/jobs.ts';
import { webhookRoutes } from './webhooks/routes.ts';

const CONSOLE_FOLDER = join(import.meta.dirname, '../dist/console');
/** Seconds that running jobs may take to end when the server stops. */
const JOBS_STOP_SECONDS = 6;
/** Milliseconds that a server which cannot start has to close what it has opened. */
const ABANDON_MS = 9500;
/** Seconds that open requests may take to end when the server stops. */
const CLOSE_TIMEOUT_SECONDS = 2.5;

export interface App {
  readonly context: AppContext;
  /** Every declared endpoint that is served; tests derive their matrices from it. */
  readonly routes: readonly Route[];
  readonly stop: () => Promise<void>;
}

/**
 * Start a server as configured: migrations, sandbox, HTTP, jobs. Resolves when it is ready.
 *
 * @param started the embedded PostgreSQL, which stops with the server, and its sandbox's emulators; by default the
 *   configuration names a database
 */
export async function startApp(
  config: Config,
  log: Log,
  started: { readonly postgres: Postgres; readonly emulators: StartingEmulators } | null = null,
): Promise<App> {
  const { postgres, emulators } = started ?? { postgres: null, emulators: null };
  const cleanups: (() => Promise<unknown>)[] = [];
  const warn = (error: unknown) => log.warn({ error: String(error) }, 'while stopping');
  const stopOnce = async () => {
    for (const end of cleanups.reverse()) await end().catch(warn);
  };
  let stopping: Promise<void> | null = null;
  const stop = () => (stopping ??= stopOnce());
  try {
    if (postgres) cleanups.push(() => postgres.stop());
    const url = config.databaseUrl ?? postgres?.url ?? '';
    const metrics = createMetrics();
    const { databaseConnections: max, databaseWaitSeconds: waitSeconds } = config;
    const db = openDb(url, log, { max, waitSeconds, metrics });
    cleanups.push(() => db.close());
    // Connects during the migrations: it needs no table.
    const connecting = openNotifications(url, [LIVE_CHANNEL, SWEEP_CHANNEL, 'access_changed'], log);
    const connected = connecting.catch(() => null);
    cleanups.push(async () => (await connected)?.close());
    await migrate(config.migrationsUrl ?? postgres?.migrationsUrl ?? url);
    const mode = await resolveMode(db.pool, config);
    const cipher = await openSecretCipher(db.pool, config);
    await ensureVapidKeys({ reader: db.reader, cipher });
    const sandbox = await loadSandbox({ mode, config, log, emulators });
    // A second process on the same database leaves the emulators running for the first.
    if (sandbox) cleanups.push(() => sandbox.close(postgres ? 'stop' : 'leave'));
    const notifications = await connecting;
    const loopback = mode === 'sandbox';
    const outbound = createOutbound({ loopback, hosts: [], ports: config.outboundPorts });
    // The hosts that models may be at are for nothing else: a webhook to one would tell its caller what it answers.
    const modelOutbound = createOutbound({ loopback, hosts: config.llmHosts, ports: null });
    cleanups.push(() => Promise.all([outbound.close(), modelOutbound.close()]));
    const threads = createThreads(url, cipher.hashKey);
    cleanups.push(() => threads.close());
    const claimant = { instanceId: ids.next(), config: sandbox?.config ?? config };
    await identifyRecordedOptOuts({ ...db, cipher });
    const context: AppContext = {
      ...db,
      ...claimant,
      mode,
      log,
      cipher,
      outbound,
      modelOutbound,
      notifications,
      threads,
      metrics,
      claims: createClaims({ ...claimant, reader: db.reader }),
    };
    await warnUnreachable(context);
    const routes = await serve(context, { sandbox, cleanups });
    return { context, routes, stop };
  } catch (error) {
    // The process is about to end: it does not wait longer for what it has begun.
    await Promise.race([stop(), pause(ABANDON_MS)]);
    throw error;
  }
}

interface ServeOptions {
  readonly sandbox: Sandbox | null;
  readonly cleanups: (() => Promise<unknown>)[];
}

async function serve(context: AppContext, { sandbox, cleanups }: ServeOptions): Promise<readonly Route[]> {
  const { config, log, mode } = context;
  let runner: JobRunner | null = null;
  let stage: Stage = 'starting';
  const isWorker = config.roles.includes('worker');
  const isWeb = config.roles.includes('web');
  const sessions = createSessions(context);
  const cookieName = sessionCookie(config.publicUrl).name;
  const companiesOf = createCompaniesOfProducts(context);
  const readAlerts = (ids: readonly number[]) => readOpenAlerts(context.reader, ids);
  const streams = createLiveStreams(context, { readAlerts, companyOf: companyOfProduct(companiesOf) });
  const secretOwners = createHookOwners(context);
  const findInaccessible = createAccessChecker(context, companiesOf, scopes);
  const admission = admissionOf(context);
  const health = healthRoutes(context, {
    stage: () => stage,
    fullClasses: () => admission.fullClasses(),
    refreshGauges: createGauges(context),
  });
  const webRoutes = moduleRoutes(context, {
    sandbox,
    sessions,
    cookieName,
    streams,
    secretOwners,
    findInaccessible,
    runner: () => runner,
  });
  const apiInfo = { version: VERSION, url: config.publicUrl, cookie: cookieName, isSandbox: mode === 'sandbox' };
  const routes = isWeb ? [...webRoutes, ...health, ...documentRoutes([...webRoutes, ...health], apiInfo)] : health;
  const server = await createServer({
    log,
    routes,
    admission,
    accessControl: {
      session: sessionLookup(sessions, cookieName),
      onChange: subscribeToRightsChanges(context.notifications),
      bearer: createBearerCheck(secretOwners),
      addressOf: ({ ip }) => `address:${networkOf(ip)}`,
      findInaccessible,
    },
    origin: new URL(config.publicUrl).origin,
    isOurOrigin: originCheck(config, mode),
    sandbox: mode === 'sandbox',
    trustProxy: config.trustProxy,
    secure: config.publicUrl.startsWith('https:'),
    metricsToken: config.metricsToken,
    strictReplies: config.strictReplies,
    isDraining: () => stage === 'stopping',
    onDone: ({ route, method, status, seconds }) =>
      context.metrics.http.observe({ route, method, status: String(status) }, seconds),
    unknownPage: isWeb ? unknownPage(CONSOLE_FOLDER) : null,
  });
  if (isWeb) await serveConsole(server, CONSOLE_FOLDER, mode === 'sandbox');
  let drainEnd: Promise<unknown> = Promise.resolve();
  await server.listen({ host: config.host, port: config.port });
  cleanups.push(async () => {
    await drainEnd;
    streams.close();
    await closeGracefully(server, CLOSE_TIMEOUT_SECONDS);
  });

  // Register only now: the instance that listens on our port owns our node name, so earlier instances of it have ended.
  cleanups.push(await joinInstances(context, VERSION));
  if (isWeb) await sandbox?.prepare(context);
  stage = 'serving';
  if (isWorker) runner = startModuleJobs(context, cleanups);
  if (isWeb) await sandbox?.connect(context);
  // Runs first when the server stops; jobs end meanwhile.
  cleanups.push(async () => {
    stage = 'stopping';
    drainEnd = pause(config.drainSeconds * 1000);
  });
  log.info({ url: config.publicUrl, mode, roles: config.roles, version: VERSION }, 'ready');
  return routes;
}

interface RouteParts {
  readonly sandbox: Sandbox | null;
  readonly sessions: ReturnType<typeof createSessions>;
  readonly cookieName: string;
  readonly streams: ReturnType<typeof createLiveStreams>;
  readonly secretOwners: ReturnType<typeof createHookOwners>;
  readonly findInaccessible: ReturnType<typeof createAccessChecker>;
  readonly runner: () => JobRunner | null;
}

/** Create the routes of all modules, and inject what a module calls to its right. */
function moduleRoutes(context: AppContext, parts: RouteParts): Route[] {
  const { sandbox, sessions, cookieName, streams, secretOwners, findInaccessible, runner } = parts;
  const findCaller = async (token: string | undefined) => (token ? sessions.find(token, 'active') : null);
  const callerOf: FindCaller = (cookies) => findCaller(cookies[cookieName]);
  const checkGate = createCheckGate(context);
  return [
    ...operatorRoutes(context, sessions),
    ...auditRoutes(context),
    ...jobRoutes(context, () => runner()?.queueStates() ?? []),
    installationRoute({ isSandbox: sandbox !== null, demo: sandbox?.demoOperator ?? null }),
    ...companyRoutes(context),
    ...viewRoutes(context),
    ...productRoutes(context, checkProductConfig),
    ...promptRoutes(context, {
      counters: [firstMessageUses, countStepUses, countClassificationUses],
      referenceSources: [stepPrompts, classificationPromptUse],
      checkGate,
    }),
    ...leadRoutes(context, {
      ...leadVerbs(context),
      skipCrmSync,
      listParts: {
        optionalFields: { ...LAST_MESSAGE, ...NEXT_ACTION },
        conditionsOf: { ...lastMessageConditions, ...nextActionConditions },
      },
    }),
    ...leadEventRoutes(context),
    ...leadDocumentRoutes(context),
    ...channelRoutes(context),
    ...llmRoutes(context, resumeAfterBudget),
    ...conversationPromptRoutes(context),
    ...studioRoutes(context, callerOf),
    ...conversationRoutes(context),
    ...inboxRoutes(context, secretOwners),
    ...outboxRoutes(context, { findInaccessible }),
    ...liveRoutes(streams),
    ...webhookRoutes(context),
    ...deskRoutes(context),
    ...outreachRoutes(context),
    ...crmRoutes(context, { sessionToken: (request) => request.cookies[cookieName], callerOf: findCaller }),
    ...outcomeRoutes(context, checkGate),
    ...monitoringRoutes(context, { sweeps: () => runner()?.sweeps() ?? [] }),
    masterChatRoute(context, callerOf),
    ...(sandbox?.routes(context) ?? []),
  ];
}

/** Start the sweeps of all modules, on connections of their own. */
function startModuleJobs(webContext: AppContext, cleanups: ServeOptions['cleanups']): JobRunner {
  const context = { ...webContext, ...webContext.background };
  const policy = createSendPolicy(cancelPending, context.cipher);
  const runner = startJobs(context, [
    deadInstanceSweep,
    cleanupSweep,
    statisticsSweep,
    assistantSweep,
    lostCallSweep,
    ...channelSweeps,
    ...conversationSweeps,
    ...outboxSweeps(policy),
    ...inboxSweeps(policy),
    ...webhookSweeps,
    ...deskSweeps,
    ...outcomeSweeps,
    ...outreachSweeps(policy, cancelPending),
    ...crmSweeps,
    ...studioSweeps,
  ]);
  cleanups.push(() => runner.stop(JOBS_STOP_SECONDS));
  return runner;
}
