/** The Gemini API as far as a chat needs it, under `/gemini/v1beta`: contents and the list of models. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TakeFault } from '../model/faultyAnswer.ts';
import { modelCall, respond } from '../model/respond.ts';
import type { World } from '../world.ts';
import { type ApiError, chatOf, generateRequest, WRONG_KEY, wireCompletion } from './wire.ts';

const modelNames = [
  'sandbox-gemini',
  'gemini-2.5-pro',
  'gemini-2.5-flash',
  'gemini-2.5-flash-lite',
  'gemini-2.0-flash',
];

export function geminiRoutes(app: FastifyInstance, world: World): void {
  app.get('/gemini/v1beta/models', async (request, reply) => {
    if (!isKey(keyOf(request))) return refuse(reply, WRONG_KEY, 'models');
    const models = modelNames.map((name) => ({
      name: `models/${name}`,
      displayName: name,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
    }));
    // The list also contains models that cannot chat.
    const embedding = {
      name: 'models/text-embedding-004',
      displayName: 'Text Embedding 004',
      supportedGenerationMethods: ['embedContent'],
    };
    return { models: [...models, embedding] };
  });

  app.post<{ Params: { call: string } }>('/gemini/v1beta/models/:call', async (request, reply) => {
    const key = keyOf(request);
    if (!isKey(key)) return refuse(reply, WRONG_KEY, 'generate');
    const [, model = '', method = ''] =
      /^(.*):(generateContent|streamGenerateContent)$/.exec(request.params.call) ?? [];
    if (!modelNames.includes(model)) {
      const message = `models/${model} is not found for API version v1beta, or is not supported for generateContent.`;
      return refuse(reply, { code: 404, status: 'NOT_FOUND', message }, 'generate');
    }
    const parsed = generateRequest.safeParse(request.body);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const message = `Invalid value at '${issue?.path.join('.') ?? ''}': ${issue?.message ?? 'unreadable'}`;
      return refuse(reply, { code: 400, status: 'INVALID_ARGUMENT', message }, 'generate');
    }
    const stream = method === 'streamGenerateContent';
    const chat = chatOf(model, parsed.data, stream);
    const asks = modelCall('gemini', { world, account: key, chat });
    const refused = struck(asks.take);
    if (refused !== undefined) return refuse(reply, refused, 'generate');
    return respond(reply, asks, (completion) => wireCompletion(completion, stream));
  });

  app.all('/gemini/*', async (_request, reply) =>
    refuse(reply, { code: 404, status: 'NOT_FOUND', message: 'Not Found' }, 'other'),
  );

  function refuse(reply: FastifyReply, error: ApiError, route: string): FastifyReply {
    const { code: status, status: code } = error;
    world.journal.append({ kind: 'refused', vendor: 'gemini', account: '', route, status, code });
    return reply.code(status).send({ error });
  }
}

const keyOf = (request: FastifyRequest): string | undefined => {
  const key = request.headers['x-goog-api-key'];
  return typeof key === 'string' ? key : undefined;
};

function isKey(key: string | undefined): key is string {
  return key?.startsWith('AIzaSandbox') ?? false;
}

/** Return the error of a fault that replaces the contents. */
function struck(take: TakeFault): ApiError | undefined {
  if (take('unauthorized') !== undefined) return WRONG_KEY;
  const limited = take('rate_limited') ?? take('quota');
  if (limited !== undefined) {
    // No header here: the details contain the time to wait.
    const retryDelay = `${limited.retryAfterSeconds ?? 1}s`;
    return {
      code: 429,
      status: 'RESOURCE_EXHAUSTED',
      message: 'You exceeded your current quota, please check your plan and billing details.',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }],
    };
  }
  const failing = take('server_error');
  if (failing === undefined) return undefined;
  return failing.status === 503
    ? { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded. Please try again later.' }
    : { code: failing.status ?? 500, status: 'INTERNAL', message: 'An internal error has occurred.' };
}
