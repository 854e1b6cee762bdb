/** The configuration: the environment, read once and validated. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { resolve } from 'node:path';

export type Mode = 'sandbox' | 'production';
export type Role = 'web' | 'worker';

export interface Config {
  readonly host: string;
  readonly port: number;
  /** The only accepted origin, and the base of the addresses we publish; no trailing slash. */
  readonly publicUrl: string;
  readonly hasPublicUrl: boolean;
  readonly dataDir: string;
  /** Null for the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  /** URL of the same database for the role that owns and migrates it; null when `databaseUrl` does both. */
  readonly migrationsUrl: string | null;
  readonly sandbox: 'on' | 'off' | 'public' | null;
  readonly roles: readonly Role[];
  readonly nodeName: string;
  /** Proxies whose X-Forwarded-For is trusted: none, that many in a row, or those with these addresses. */
  readonly trustProxy: false | number | readonly string[];
  readonly secretKey: string | null;
  /** Further known keys: former ones until `npm run rekey` has finished, and the next one before it becomes current. */
  readonly otherSecretKeys: readonly string[];
  readonly metricsToken: string | null;
  readonly replyDebounceSeconds: number;
  /** Seconds to wait before an outgoing message that we do not know counts as written by a human. */
  readonly echoGraceSeconds: number;
  /** Seconds a vendor may take to answer a send before its outcome counts as unknown. */
  readonly sendTimeoutSeconds: number;
  /** Seconds a model may be silent, before its first token and between two tokens. */
  readonly modelIdleTimeoutSeconds: number;
  /** Seconds a server keeps serving after it was asked to stop, so that a load balancer can route to others. */
  readonly drainSeconds: number;
  readonly heartbeatSeconds: number;
  readonly leaseSeconds: number;
  /** Seconds between two sweeps for due work. */
  readonly sweepIntervalSeconds: number;
  /** Seconds before the second attempt of a send that may succeed later; doubles, with jitter, up to 5 minutes. */
  readonly retryBaseSeconds: number;
  readonly vendorUrls: { readonly wazzup24: string; readonly chatpush: string; readonly amocrm: string };
  /** Seconds between two messages of one ChatPush account, on the domain clock. */
  readonly chatpushIntervalSeconds: number;
  /**
   * Seconds between two polls of a vendor for its accounts' sessions, and before the first poll for a message's
   * delivery.
   */
  readonly vendorPollSeconds: number;
  /** The installation's own amoCRM integration; null when each account creates one. */
  readonly amocrmClient: { readonly id: string; readonly secret: string } | null;
  /** Seconds between two polls of the CRM for changes, where it does not send them itself. */
  readonly crmPollSeconds: number;
  /** How long creating a note or a task in the CRM may take. */
  readonly crmCallSeconds: number;
  readonly llmUrls: { readonly chatgpt: string; readonly gemini: string; readonly anthropic: string };
  /** `host:port` that model calls may reach in addition to public https ones. */
  readonly llmHosts: readonly string[];
  /** Ports of public hosts that anything but a model may be at. */
  readonly outboundPorts: readonly number[];
  /** `vendor/model` by purpose; null for the chatbot's model, or the program's default. */
  readonly defaultModels: Readonly<Record<'chatbot' | 'classification' | 'ping' | 'document' | 'judge', string | null>>;
  /** Whether a sandbox creates the demo company. */
  readonly demo: boolean;
  readonly logLevel: string;
  /** Number of calls of one model or account that a process makes at once. */
  readonly concurrency: number;
  /**
   * Maximum number of requests in progress: hooks, calls that wait for the database, calls that wait for outside
   * services, logins, and open connections (live streams, sockets), in total and of one operator.
   */
  readonly limits: Readonly<Record<'hooks' | 'calls' | 'outside' | 'logins' | 'streams' | 'streamsOfOperator', number>>;
  /** Number of connections to the database. */
  readonly databaseConnections: number;
  readonly databaseWaitSeconds: number;
  /** Validate every reply against its declared shape; a mismatch is a 500. For tests. */
  readonly strictReplies: boolean;
}

/** A connection in use takes 6 to 9 MB of PostgreSQL. [Under load 78 instead of 116 to 125 MB for all of them] */
export const DEFAULT_DATABASE_CONNECTIONS = 8;

/** An invalid setting; the message names it and the reason. */
export class ConfigError extends Error {}

const LOOPBACK = ['127.0.0.1', 'localhost', '::1', '[::1]'];

/** Whether a host name refers to this machine only. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(host);
}

interface NumberRange {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

function readNumber(env: NodeJS.ProcessEnv, name: string, { fallback, min, max }: NumberRange): number {
  const raw = env[name];
  if (raw === undefined || raw === '') return fallback;
  const value = Number(raw);
  if (!Number.isFinite(value) || value < min || value > max) {
    throw new ConfigError(`${name} has to be a number from ${min} to ${max}, not "${raw}".`);
  }
  return value;
}

function readChoice<T extends string>(env: NodeJS.ProcessEnv, name: string, choices: readonly T[]): T | null {
  const raw = env[name];
  if (raw === undefined || raw === '') return null;
  const found = choices.find((one) => one === raw);
  if (!found) throw new ConfigError(`${name} has to be one of ${choices.join(', ')}, not "${raw}".`);
  return found;
}

function readUrl(env: NodeJS.ProcessEnv, name: string, fallback: string): string {
  const raw = env[name];
  if (raw === undefined || raw === '') return fallback;
  if (!URL.canParse(raw)) throw new ConfigError(`${name} has to be a URL, not "${raw}".`);
  return raw.replace(/\/+$/, '');
}

function readRoles(raw: string | undefined): Role[] {
  const roles: Role[] = [];
  for (const one of (raw ?? 'web,worker').split(',').map((part) => part.trim())) {
    if (one !== 'web' && one !== 'worker') throw new ConfigError(`RAPPORT_ROLES knows web and worker, not "${one}".`);
    if (!roles.includes(one)) roles.push(one);
  }
  return roles;
}

function readInteger(env: NodeJS.ProcessEnv, name: string, range: NumberRange): number {
  const value = readNumber(env, name, range);
  if (!Number.isInteger(value)) throw new ConfigError(`${name} has to be a whole number, not "${env[name]}".`);
  return value;
}

/**
 * Require a plain origin. The console is served at its root: cookies, the origin check and every address we publish
 * rely on it.
 */
function checkOrigin(name: string, raw: string): void {
  const { protocol, origin } = new URL(raw);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new ConfigError(`${name} has to begin with http:// or https://, not "${raw}".`);
  if (origin !== raw) throw new ConfigError(`${name} has to be an origin, like ${origin}, not "${raw}".`);
}

/**
 * Read the trusted proxies; `on` is one proxy. Never trust all of them: what a client writes into X-Forwarded-For
 * precedes what our proxy adds, and would be taken for the client's address.
 */
function readTrustProxy(env: NodeJS.ProcessEnv): Config['trustProxy'] {
  const raw = env.RAPPORT_TRUST_PROXY?.trim() ?? 'off';
  if (raw === 'off' || raw === 'false' || raw === '0') return false;
  if (raw === 'on' || raw === 'true') return 1;
  if (/^[1-9]$/.test(raw)) return Number(raw);
  const addresses = raw.split(',').map((one) => one.trim());
  const isNet = (one: string): boolean => isIP(one.replace(/\/\d{1,3}$/, '')) !== 0;
  if (addresses.every(isNet)) return addresses;
  throw new ConfigError(
    `RAPPORT_TRUST_PROXY has to be off, on, a number of proxies from 1 to 9, or their addresses, not "${raw}".`,
  );
}

const listOf = (raw: string | undefined): string[] =>
  (raw ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** Read a host of models: `host:port`; without a port, those of https and http. */
function readModelHost(raw: string): string[] {
  const [, host = '', port] =
    /^(\[[\da-f:.]+\]|[^:/?#@\s]+)(?::(\d+))?$/i.exec(isIP(raw) === 6 ? `[${raw}]` : raw) ?? [];
  if (host === '' || !URL.canParse(`http://${host}`))
    throw new ConfigError(`RAPPORT_LLM_HOSTS has to list hosts with their ports, like llm.local:8000, not "${raw}".`);
  // As a URL writes it.
  const { hostname } = new URL(`http://${host}`);
  return port === undefined
    ? [`${hostname}:443`, `${hostname}:80`]
    : [`${hostname}:${readPort(port, 'RAPPORT_LLM_HOSTS')}`];
}

const readPort = (raw: string, name: string): number =>
  readInteger({ [name]: raw }, name, { fallback: 443, min: 1, max: 65_535 });

function readAmocrmClient(env: NodeJS.ProcessEnv): Config['amocrmClient'] {
  const { RAPPORT_AMOCRM_CLIENT_ID: id, RAPPORT_AMOCRM_CLIENT_SECRET: secret } = env;
  if (id === undefined && secret === undefined) return null;
  if (id === undefined || secret === undefined)
    throw new ConfigError('RAPPORT_AMOCRM_CLIENT_ID and RAPPORT_AMOCRM_CLIENT_SECRET go together.');
  return { id, secret };
}

const readCrmSettings = (
  env: NodeJS.ProcessEnv,
): Pick<Config, 'amocrmClient' | 'crmPollSeconds' | 'crmCallSeconds'> => ({
  amocrmClient: readAmocrmClient(env),
  crmPollSeconds: readNumber(env, 'RAPPORT_CRM_POLL_SECONDS', { fallback: 300, min: 0.05, max: 86_400 }),
  crmCallSeconds: readNumber(env, 'RAPPORT_CRM_CALL_SECONDS', { fallback: 10, min: 0.1, max: 15 }),
});

/**
 * Variables whose value may be read from a file that only the server can read, named by the variable with the suffix
 * `_FILE`.
 */
const FILE_VARIABLES = [
  'RAPPORT_SECRET_KEY',
  'RAPPORT_OTHER_SECRET_KEYS',
  'DATABASE_URL',
  'DATABASE_MIGRATIONS_URL',
  'RAPPORT_METRICS_TOKEN',
  'RAPPORT_AMOCRM_CLIENT_SECRET',
];

function resolveFileVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const resolved = { ...env };
  for (const name of FILE_VARIABLES) {
    const file = env[`${name}_FILE`];
    if (file === undefined) continue;
    if (env[name] !== undefined) throw new ConfigError(`${name} and ${name}_FILE exclude each other.`);
    try {
      resolved[name] = readFileSync(file, 'utf8').trim();
    } catch {
      throw new ConfigError(`The file of ${name}_FILE, ${file}, cannot be read.`);
    }
    // Only the list of other keys may be empty.
    if (resolved[name] === '' && name !== 'RAPPORT_OTHER_SECRET_KEYS')
      throw new ConfigError(`The file of ${name}_FILE, ${file}, is empty.`);
  }
  return resolved;
}

/** Read the environment; an empty value counts as unset. Throws ConfigError on an invalid setting. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const env = resolveFileVariables(Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== '')));
  const host = env.HOST ?? '127.0.0.1';
  const port = readInteger(env, 'PORT', { fallback: 3000, min: 0, max: 65_535 });
  const urlHost = host.includes(':') ? `[${host}]` : host;
  const hasPublicUrl = Boolean(env.RAPPORT_PUBLIC_URL);
  if (!hasPublicUrl && !isLoopback(host)) {
    throw new ConfigError(`RAPPORT_PUBLIC_URL is required when HOST is ${host}: operators reach the console by it.`);
  }
  const publicUrl = readUrl(env, 'RAPPORT_PUBLIC_URL', `http://${urlHost}:${port}`);
  if (hasPublicUrl) checkOrigin('RAPPORT_PUBLIC_URL', publicUrl);
  if (env.DATABASE_MIGRATIONS_URL !== undefined && env.DATABASE_URL === undefined)
    throw new ConfigError('DATABASE_MIGRATIONS_URL needs DATABASE_URL: the same database, as the role of the app.');
  const heartbeatSeconds = readNumber(env, 'RAPPORT_HEARTBEAT_SECONDS', { fallback: 4, min: 0.05, max: 60 });
  return {
    host,
    port,
    publicUrl,
    hasPublicUrl,
    dataDir: resolve(env.RAPPORT_DATA_DIR ?? 'data'),
    databaseUrl: env.DATABASE_URL || null,
    migrationsUrl: env.DATABASE_MIGRATIONS_URL || null,
    sandbox: readChoice(env, 'RAPPORT_SANDBOX', ['on', 'off', 'public']),
    roles: readRoles(env.RAPPORT_ROLES),
    nodeName: env.RAPPORT_NODE_NAME ?? `${hostname()}:${port}`,
    trustProxy: readTrustProxy(env),
    secretKey: env.RAPPORT_SECRET_KEY || null,
    otherSecretKeys: (env.RAPPORT_OTHER_SECRET_KEYS ?? '')
      .split('\n')
      .map((key) => key.trim())
      .filter((key) => key !== ''),
    metricsToken: env.RAPPORT_METRICS_TOKEN || null,
    replyDebounceSeconds: readNumber(env, 'RAPPORT_REPLY_DEBOUNCE_SECONDS', { fallback: 5, min: 0, max: 3600 }),
    echoGraceSeconds: readNumber(env, 'RAPPORT_ECHO_HOLD_SECONDS', { fallback: 10, min: 0, max: 600 }),
    sendTimeoutSeconds: readNumber(env, 'RAPPORT_SEND_TIMEOUT_SECONDS', { fallback: 20, min: 0.1, max: 60 }),
    modelIdleTimeoutSeconds: readNumber(env, 'RAPPORT_MODEL_SILENCE_SECONDS', { fallback: 30, min: 0.1, max: 600 }),
    drainSeconds: readNumber(env, 'RAPPORT_DRAIN_SECONDS', { fallback: 0, min: 0, max: 5 }),
    heartbeatSeconds,
    leaseSeconds: readNumber(env, 'RAPPORT_LEASE_SECONDS', { fallback: heartbeatSeconds * 4, min: 0.2, max: 600 }),
    sweepIntervalSeconds: readNumber(env, 'RAPPORT_SWEEP_SECONDS', { fallback: 1, min: 0.02, max: 10 }),
    retryBaseSeconds: readNumber(env, 'RAPPORT_RETRY_BASE_SECONDS', { fallback: 2, min: 0.01, max: 300 }),
    vendorUrls: {
      wazzup24: readUrl(env, 'RAPPORT_WAZZUP24_URL', 'https://api.wazzup24.com'),
      chatpush: readUrl(env, 'RAPPORT_CHATPUSH_URL', 'https://api.chatpush.ru'),
      amocrm: readUrl(env, 'RAPPORT_AMOCRM_URL', 'https://www.amocrm.ru'),
    },
    chatpushIntervalSeconds: readNumber(env, 'RAPPORT_CHATPUSH_PACE_SECONDS', { fallback: 60, min: 0, max: 3600 }),
    vendorPollSeconds: readNumber(env, 'RAPPORT_ASK_VENDOR_SECONDS', { fallback: 60, min: 0.1, max: 3600 }),
    ...readCrmSettings(env),
    llmUrls: {
      chatgpt: readUrl(env, 'RAPPORT_CHATGPT_URL', 'https://api.openai.com/v1'),
      gemini: readUrl(env, 'RAPPORT_GEMINI_URL', 'https://generativelanguage.googleapis.com/v1beta'),
      anthropic: readUrl(env, 'RAPPORT_ANTHROPIC_URL', 'https://api.anthropic.com/v1'),
    },
    llmHosts: listOf(env.RAPPORT_LLM_HOSTS).flatMap(readModelHost),
    outboundPorts: listOf(env.RAPPORT_OUTBOUND_PORTS ?? '443').map((one) => readPort(one, 'RAPPORT_OUTBOUND_PORTS')),
    defaultModels: {
      chatbot: env.RAPPORT_DEFAULT_CHATBOT_MODEL ?? null,
      classification: env.RAPPORT_DEFAULT_CLASSIFICATION_MODEL ?? null,
      ping: env.RAPPORT_DEFAULT_PING_MODEL ?? null,
      document: env.RAPPORT_DEFAULT_DOCUMENT_MODEL ?? null,
      judge: env.RAPPORT_DEFAULT_JUDGE_MODEL ?? null,
    },
    demo: env.RAPPORT_DEMO !== 'off',
    // At a terminal, log only warnings and errors: the operator sees the line that the server is ready, and what goes
    // wrong.
    logLevel: env.RAPPORT_LOG_LEVEL ?? (process.stdout.isTTY ? 'warn' : 'info'),
    concurrency: readInteger(env, 'RAPPORT_CONCURRENCY', { fallback: 16, min: 1, max: 200 }),
    limits: readLimits(env),
    databaseConnections: readInteger(env, 'RAPPORT_DATABASE_CONNECTIONS', {
      fallback: DEFAULT_DATABASE_CONNECTIONS,
      min: 2,
      max: 200,
    }),
    databaseWaitSeconds: readNumber(env, 'RAPPORT_DATABASE_WAIT_SECONDS', { fallback: 5, min: 0.1, max: 30 }),
    strictReplies: env.RAPPORT_STRICT_REPLIES === 'on',
  };
}

/**
 * Read how many requests may be in progress: every admitted one should be answered within a second.
 * [bench/REPORT.md: with 32 in progress, 3,894 hooks or 1,846 lists a second were answered: at that rate the last of
 * 1,000 hooks waits 0.26 s, the last of 256 calls 0.14 s.]
 */
function readLimits(env: NodeJS.ProcessEnv): Config['limits'] {
  const read = (name: string, fallback: number) => readInteger(env, name, { fallback, min: 1, max: 100_000 });
  return {
    hooks: read('RAPPORT_MOST_HOOKS', 1000),
    calls: read('RAPPORT_MOST_CALLS', 256),
    outside: read('RAPPORT_MOST_OUTSIDE', 256),
    logins: read('RAPPORT_MOST_LOGINS', 64),
    streams: read('RAPPORT_MOST_STREAMS', 4000),
    // A console opens one for each tab, and one for each chat that is open in it.
    streamsOfOperator: read('RAPPORT_MOST_STREAMS_OF_OPERATOR', 100),
  };
}
