/** A client of a running installation for commands: signs in, repeats what fails for a moment, and parses answers. */
import { setTimeout as pause } from 'node:timers/promises';
import { login, logout, secondFactorDue } from '../../access/contract.ts';
import type { AnswerOf, BodyInput, Endpoint, ParamsInput, QueryInput } from '../../platform/contract.ts';
import { endpointUrl } from '../../platform/endpointUrl.ts';

/** A sentence for the person who reads the log of a pipeline. */
export class CommandError extends Error {}

export interface Installation {
  /** `http://127.0.0.1:3000` */
  readonly url: string;
  readonly login: string;
  readonly password: string;
}

interface Parts<E extends Endpoint> {
  readonly params?: ParamsInput<E>;
  readonly query?: Partial<QueryInput<E>>;
  readonly body?: BodyInput<E>;
}

export interface ApiClient {
  /** Call an endpoint. Throws `CommandError` with the installation's own sentence. */
  call<E extends Endpoint>(endpoint: E, parts?: Parts<E>): Promise<AnswerOf<E>>;
  /** End the session; never throws. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 60_000;
/** A restart of the installation or a full queue is waited for; only reading is repeated. */
const ATTEMPTS = 9;
const PAUSE_MS = 1000;

/** Sign in. Throws `CommandError` if the installation cannot be reached or refuses. */
export async function signIn({ url, login: name, password }: Installation): Promise<ApiClient> {
  const base = url.replace(/\/+$/, '');
  const headers: Record<string, string> = { origin: new URL(base).origin, 'content-type': 'application/json' };
  const send = (method: string, path: string, body?: unknown) =>
    sendRequest(`${base}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const answer = await send(login.method, login.path, { login: name, password });
  if (answer.status === 202 && secondFactorDue.safeParse(answer.body).success)
    throw new CommandError(`${name} has a second factor: give the pipeline an operator without one.`);
  if (answer.status !== 200) throw new CommandError(`Signing in as ${name} failed: ${sentenceOf(answer)}`);
  headers['cookie'] = answer.cookie;
  return {
    async call<E extends Endpoint>(endpoint: E, parts: Parts<E> = {}) {
      const { status, body } = await send(endpoint.method, pathOf(endpoint, parts), parts.body);
      const shape = endpoint.replies[status];
      const parsed = status < 300 ? shape?.safeParse(body) : undefined;
      if (status >= 300) throw new CommandError(sentenceOf({ status, body }));
      if (!parsed?.success) throw new CommandError('The installation is of another version than this command.');
      // The schema was looked up by this status, so its output is in the union of `AnswerOf`.
      return parsed.data as AnswerOf<E>;
    },
    close: () =>
      send(logout.method, logout.path).then(
        () => undefined,
        () => undefined,
      ),
  };
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

async function sendRequest(url: string, init: RequestInit): Promise<Answer & { readonly cookie: string }> {
  const attempts = init.method === 'GET' ? ATTEMPTS : 1;
  for (let attempt = 1; ; attempt++) {
    const last = attempt === attempts;
    try {
      const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
      const text = await response.text();
      if (last || (response.status < 500 && response.status !== 429)) {
        const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
        return { status: response.status, body: parseJson(text), cookie };
      }
    } catch (error) {
      if (last) throw new CommandError(`${new URL(url).origin} cannot be reached: ${causeOf(error)}`);
    }
    await pause(PAUSE_MS * attempt);
  }
}

function causeOf(error: unknown): string {
  const { cause, message } = error instanceof Error ? error : { cause: null, message: String(error) };
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}

function parseJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The sentence of a refusal, or the status. */
function sentenceOf({ status, body }: Answer): string {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : body;
  if (typeof detail === 'string' && detail !== '' && detail.length < 500) return `${detail} (${status})`;
  return Array.isArray(detail) ? `${JSON.stringify(detail)} (${status})` : `status ${status}`;
}

/** The types of the parts are unresolved inside a generic function. */
function pathOf(endpoint: Endpoint, parts: object): string {
  const { params, query }: { params?: Record<string, unknown>; query?: Record<string, unknown> } = parts;
  return endpointUrl(endpoint, params, query);
}
