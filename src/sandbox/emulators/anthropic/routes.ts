/** Anthropic's API as far as a chat needs it, under `/anthropic/v1`: messages and the list of models. */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken } from '../bearerToken.ts';
import type { TakeFault } from '../model/faultyAnswer.ts';
import { modelCall, respond } from '../model/respond.ts';
import type { World } from '../world.ts';
import { type ApiError, chatOf, errorBody, messagesRequest, wireCompletion } from './wire.ts';

const modelNames = [
  'sandbox-claude',
  'claude-opus-5-5',
  'claude-sonnet-5-5',
  'claude-haiku-5-5',
  'claude-haiku-4-5',
  'claude-3-5-sonnet-20241022',
  'claude-3-5-haiku-20241022',
];

const WRONG_KEY: ApiError = { status: 401, type: 'authentication_error', message: 'invalid x-api-key' };

export function anthropicRoutes(app: FastifyInstance, world: World): void {
  app.get('/anthropic/v1/models', async (request, reply) => {
    if (!isKey(keyOf(request))) return refuse(reply, WRONG_KEY, 'models');
    const data = modelNames.map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: '2025-10-01T00:00:00Z',
    }));
    return { data, has_more: false, first_id: modelNames[0], last_id: modelNames.at(-1) };
  });

  app.post('/anthropic/v1/messages', async (request, reply) => {
    const key = keyOf(request);
    const route = 'messages';
    if (!isKey(key)) return refuse(reply, WRONG_KEY, route);
    const version = request.headers['anthropic-version'];
    if (version === undefined) return refuse(reply, invalid('anthropic-version: header is required'), route);
    const parsed = messagesRequest.safeParse(request.body);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return refuse(reply, invalid(`${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'unreadable'}`), route);
    }
    if (!modelNames.includes(parsed.data.model)) {
      return refuse(reply, { status: 404, type: 'not_found_error', message: `model: ${parsed.data.model}` }, route);
    }
    // Removed with this version, whatever the value (Versions page of the API reference).
    if (version === '2026-10-21' && parsed.data.temperature !== undefined) {
      return refuse(reply, invalid('temperature: Extra inputs are not permitted'), route);
    }
    const chat = chatOf(parsed.data);
    const asks = modelCall('anthropic', { world, account: key, chat });
    const refused = struck(reply, asks.take);
    if (refused !== undefined) return refuse(reply, refused, route);
    return respond(reply, asks, (completion) => wireCompletion(completion, chat.stream === true));
  });

  app.all('/anthropic/*', async (_request, reply) =>
    refuse(reply, { status: 404, type: 'not_found_error', message: 'Not found' }, 'other'),
  );

  function refuse(reply: FastifyReply, error: ApiError, route: string): FastifyReply {
    const { status, type } = error;
    world.journal.append({ kind: 'refused', vendor: 'anthropic', account: '', route, status, code: type });
    const id = `req_${randomUUID().replaceAll('-', '')}`;
    return reply.code(status).header('request-id', id).send(errorBody(error, id));
  }
}

/** Return the key of either header; if both are sent, the older one counts (migration guide to 2026-10-21). */
const keyOf = (request: FastifyRequest): string | undefined => {
  const key = request.headers['x-api-key'];
  return typeof key === 'string' ? key : bearerToken(request);
};

function isKey(key: string | undefined): key is string {
  return key?.startsWith('sk-ant-sandbox') ?? false;
}

const invalid = (message: string): ApiError => ({ status: 400, type: 'invalid_request_error', message });

/** Return the error of a fault that replaces the message. */
function struck(reply: FastifyReply, take: TakeFault): ApiError | undefined {
  if (take('unauthorized') !== undefined) return WRONG_KEY;
  const limited = take('rate_limited');
  if (limited !== undefined) {
    void reply.header('retry-after', String(limited.retryAfterSeconds ?? 1));
    const message = 'This request would exceed the rate limit for your organization. Please try again later.';
    return { status: 429, type: 'rate_limit_error', message };
  }
  if (take('quota') !== undefined) {
    return invalid('Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.');
  }
  const failing = take('server_error');
  if (failing === undefined) return undefined;
  const status = failing.status ?? 500;
  return status === 529
    ? { status, type: 'overloaded_error', message: 'Overloaded' }
    : { status, type: 'api_error', message: 'Internal server error' };
}
