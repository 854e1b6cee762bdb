/** OpenAI's API as far as a chat needs it, under `/openai/v1`: chat completions and the list of models. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bearerToken } from '../bearerToken.ts';
import { type ChatRequest, chatRequestSchema } from '../model/request.ts';
import { type ApiError, firstIssue, modelRoutes } from '../model/routes.ts';
import type { World } from '../world.ts';
import { wireCompletion } from './wire.ts';

/** One model under several names: its own, and those that a customer's settings are likely to contain. */
const modelNames = 'sandbox-gpt gpt-4o gpt-4o-mini gpt-4.1 gpt-4.1-mini gpt-4 gpt-3.5-turbo gpt-5-mini'.split(' ');
/** Models that accept no temperature but 1, as the vendor's reasoning models do. */
const fixedTemperature = new Set(['gpt-5-mini']);

export function openaiRoutes(app: FastifyInstance, world: World): void {
  modelRoutes(app, world, {
    vendor: 'openai',
    base: '/openai/v1',
    path: '/chat/completions',
    keyPrefix: 'sk-sandbox',
    keyOf: bearerToken,
    wrongKey,
    models: {
      object: 'list',
      data: modelNames.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'sandbox' })),
    },
    read,
    notFound: ({ method, url }) =>
      invalid(404, `Invalid URL (${method} ${url.replace(/^\/openai/, '').replace(/\?.*$/, '')})`, null),
    errors: {
      unauthorized: () => wrongKey('sk-sandbox-revoked-key'),
      rate_limited: ({ retryAfterSeconds = 1 }) => {
        const message = 'Rate limit reached for requests. Please try again later.';
        const refused = error(429, { message, type: 'requests', code: 'rate_limit_exceeded' });
        return { ...refused, headers: { 'retry-after': String(retryAfterSeconds) } };
      },
      quota: () => {
        const message = 'You exceeded your current quota, please check your plan and billing details.';
        return error(429, { message, type: 'insufficient_quota', code: 'insufficient_quota' });
      },
      server_error: ({ status = 500, code = null }) => {
        const message = 'The server had an error while processing your request. Sorry about that!';
        return error(status, { message, type: 'server_error', code });
      },
    },
    wire: (completion, chat) =>
      wireCompletion(completion, chat.stream === true, chat.stream_options?.include_usage === true),
  });
}

function read({ body }: FastifyRequest): ChatRequest | ApiError {
  const parsed = chatRequestSchema.safeParse(body);
  if (!parsed.success) {
    const { path, message } = firstIssue(parsed.error);
    return invalid(400, `Invalid value for '${path || 'body'}': ${message}`, 'invalid_value', path);
  }
  const { model, temperature } = parsed.data;
  if (!modelNames.includes(model)) {
    const message = `The model \`${model}\` does not exist or you do not have access to it.`;
    return invalid(404, message, 'model_not_found');
  }
  if (!fixedTemperature.has(model) || (temperature ?? 1) === 1) return parsed.data;
  const message = `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`;
  return invalid(400, message, 'unsupported_value', 'temperature');
}

function error(
  status: number,
  { param = null, ...rest }: { message: string; type: string; code: string | null; param?: string | null },
): ApiError {
  return { status, code: rest.code ?? rest.type, body: { error: { ...rest, param } } };
}
const invalid = (status: number, message: string, code: string | null, param: string | null = null): ApiError =>
  error(status, { message, type: 'invalid_request_error', code, param });

/** Build the error of a wrong key: OpenAI shows its first and last characters with stars between. */
function wrongKey(key: string | undefined): ApiError {
  if (key === undefined) {
    const message =
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";
    return invalid(401, message, null);
  }
  const maskedKey =
    key.length > 12 ? `${key.slice(0, 8)}${'*'.repeat(key.length - 12)}${key.slice(-4)}` : '*'.repeat(key.length);
  const message = `Incorrect API key provided: ${maskedKey}. You can find your API key at https://platform.openai.com/account/api-keys.`;
  return invalid(401, message, 'invalid_api_key');
}
