/** Anthropic's API as far as a chat needs it, under `/anthropic/v1`: messages and the list of models. */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bearerToken } from '../bearerToken.ts';
import type { ChatRequest } from '../model/request.ts';
import { type ApiError, firstIssue, modelRoutes } from '../model/routes.ts';
import type { World } from '../world.ts';
import { chatOf, messagesRequest, wireCompletion } from './wire.ts';

const modelNames = [
  'sandbox-claude',
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'claude-haiku-4-5',
  'claude-3-5-sonnet-20241022',
  'claude-3-5-haiku-20241022',
];

export function anthropicRoutes(app: FastifyInstance, world: World): void {
  modelRoutes(app, world, {
    vendor: 'anthropic',
    base: '/anthropic/v1',
    path: '/messages',
    keyPrefix: 'sk-ant-sandbox',
    // If both headers are sent, the older one counts (migration guide to 2026-10-21).
    keyOf: (request) => {
      const key = request.headers['x-api-key'];
      return typeof key === 'string' ? key : bearerToken(request);
    },
    wrongKey,
    models: {
      data: modelNames.map((id) => ({ type: 'model', id, display_name: id, created_at: '2025-10-01T00:00:00Z' })),
      has_more: false,
      first_id: modelNames[0],
      last_id: modelNames.at(-1),
    },
    read,
    notFound: () => error(404, 'not_found_error', 'Not found'),
    errors: {
      unauthorized: wrongKey,
      rate_limited: ({ retryAfterSeconds = 1 }) => {
        const message = 'This request would exceed the rate limit for your organization. Please try again later.';
        return error(429, 'rate_limit_error', message, { 'retry-after': String(retryAfterSeconds) });
      },
      quota: () => invalid('Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.'),
      server_error: ({ status = 500 }) =>
        status === 529
          ? error(status, 'overloaded_error', 'Overloaded')
          : error(status, 'api_error', 'Internal server error'),
    },
    wire: (completion, chat) => wireCompletion(completion, chat.stream === true),
  });
}

function read(request: FastifyRequest): ChatRequest | ApiError {
  const version = request.headers['anthropic-version'];
  if (version === undefined) return invalid('anthropic-version: header is required');
  const parsed = messagesRequest.safeParse(request.body);
  if (!parsed.success) {
    const { path, message } = firstIssue(parsed.error);
    return invalid(`${path || 'body'}: ${message}`);
  }
  const { model, temperature } = parsed.data;
  if (!modelNames.includes(model)) return error(404, 'not_found_error', `model: ${model}`);
  // Removed with this version, whatever the value (Versions page of the API reference).
  if (version === '2026-10-21' && temperature !== undefined)
    return invalid('temperature: Extra inputs are not permitted');
  return chatOf(parsed.data);
}

/** Build an error with status and type as in the API reference's table of errors. */
function error(status: number, type: string, message: string, headers: Record<string, string> = {}): ApiError {
  const id = `req_${randomUUID().replaceAll('-', '')}`;
  const body = { type: 'error', error: { type, message }, request_id: id };
  return { status, code: type, body, headers: { 'request-id': id, ...headers } };
}
const invalid = (message: string): ApiError => error(400, 'invalid_request_error', message);
const wrongKey = (): ApiError => error(401, 'authentication_error', 'invalid x-api-key');
