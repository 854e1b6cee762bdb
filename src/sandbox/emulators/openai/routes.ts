/** OpenAI's API as far as a chat needs it, under `/openai/v1`: chat completions and the list of models. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken } from '../bearerToken.ts';
import type { TakeFault } from '../model/faultyAnswer.ts';
import { type ChatRequest, chatRequestSchema } from '../model/request.ts';
import { modelCall, respond } from '../model/respond.ts';
import type { World } from '../world.ts';
import { type ApiError, apiError, wireCompletion, wrongKey } from './wire.ts';

/** One model under several names: its own, and those that a customer's settings are likely to contain. */
const modelNames = [
  'sandbox-gpt',
  'gpt-4o',
  'gpt-4o-mini',
  'gpt-4.1',
  'gpt-4.1-mini',
  'gpt-4',
  'gpt-3.5-turbo',
  'gpt-5-mini',
];

/** Models that accept no temperature but 1, as the vendor's reasoning models do. */
const fixedTemperature = new Set(['gpt-5-mini']);

export function openaiRoutes(app: FastifyInstance, world: World): void {
  app.get('/openai/v1/models', async (request, reply) => {
    const key = bearerToken(request);
    if (!isKey(key)) return refuse(reply, wrongKey(key), 'models');
    const data = modelNames.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'sandbox' }));
    return { object: 'list', data };
  });

  app.post('/openai/v1/chat/completions', complete);

  app.all('/openai/*', async (request, reply) => {
    const path = request.url.replace(/^\/openai/, '').replace(/\?.*$/, '');
    const message = `Invalid URL (${request.method} ${path})`;
    return refuse(reply, apiError(404, message, 'invalid_request_error', null), 'other');
  });

  async function complete(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const key = bearerToken(request);
    if (!isKey(key)) return refuse(reply, wrongKey(key), 'chat/completions');
    const parsed = chatRequestSchema.safeParse(request.body);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const param = issue?.path.join('.') ?? null;
      const message = `Invalid value for '${param ?? 'body'}': ${issue?.message ?? 'unreadable'}`;
      return refuse(reply, apiError(400, message, 'invalid_request_error', 'invalid_value', param), 'chat/completions');
    }
    const chat = parsed.data;
    const asks = modelCall('openai', { world, account: key, chat });
    const refused = refusedBy(chat) ?? struck(reply, asks.take);
    if (refused !== undefined) return refuse(reply, refused, 'chat/completions');
    const includeUsage = chat.stream_options?.include_usage === true;
    return respond(reply, asks, (completion) => wireCompletion(completion, chat.stream === true, includeUsage));
  }

  function refuse(reply: FastifyReply, error: ApiError, route: string): FastifyReply {
    const code = error.body.error.code ?? error.body.error.type;
    world.journal.append({ kind: 'refused', vendor: 'openai', account: '', route, status: error.status, code });
    return reply.code(error.status).send(error.body);
  }
}

function isKey(key: string | undefined): key is string {
  return key?.startsWith('sk-sandbox') ?? false;
}

function unknownModel(model: string): ApiError {
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return apiError(404, message, 'invalid_request_error', 'model_not_found');
}

function refusedBy(chat: ChatRequest): ApiError | undefined {
  if (!modelNames.includes(chat.model)) return unknownModel(chat.model);
  const temperature = chat.temperature ?? 1;
  if (!fixedTemperature.has(chat.model) || temperature === 1) return undefined;
  const message = `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`;
  return apiError(400, message, 'invalid_request_error', 'unsupported_value', 'temperature');
}

/** Return the error of a fault that replaces the completion. */
function struck(reply: FastifyReply, take: TakeFault): ApiError | undefined {
  if (take('unauthorized') !== undefined) return wrongKey('sk-sandbox-revoked-key');
  const limited = take('rate_limited');
  if (limited !== undefined) {
    void reply.header('retry-after', String(limited.retryAfterSeconds ?? 1));
    return apiError(429, 'Rate limit reached for requests. Please try again later.', 'requests', 'rate_limit_exceeded');
  }
  if (take('quota') !== undefined) {
    const message = 'You exceeded your current quota, please check your plan and billing details.';
    return apiError(429, message, 'insufficient_quota', 'insufficient_quota');
  }
  const failing = take('server_error');
  if (failing === undefined) return undefined;
  const message = 'The server had an error while processing your request. Sorry about that!';
  return apiError(failing.status ?? 500, message, 'server_error', failing.code ?? null);
}
