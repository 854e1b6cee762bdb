/** The Gemini API as far as a chat needs it, under `/gemini/v1beta`: contents and the list of models. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Fault } from '../contract.ts';
import type { ChatRequest } from '../model/request.ts';
import { type ApiError, firstIssue, modelRoutes } from '../model/routes.ts';
import type { World } from '../world.ts';
import { chatOf, generateRequest, wireCompletion } from './wire.ts';

const modelNames = 'sandbox-gemini gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite gemini-2.0-flash'.split(' ');
const listed = (name: string, ...methods: string[]) => {
  return { name: `models/${name}`, displayName: name, supportedGenerationMethods: methods };
};

export function geminiRoutes(app: FastifyInstance, world: World): void {
  modelRoutes(app, world, {
    vendor: 'gemini',
    base: '/gemini/v1beta',
    path: '/models/:call',
    keyPrefix: 'AIzaSandbox',
    keyOf: (request) => z.string().optional().catch(undefined).parse(request.headers['x-goog-api-key']),
    wrongKey,
    models: {
      models: [
        ...modelNames.map((name) => listed(name, 'generateContent', 'countTokens')),
        // The list also contains models that cannot chat.
        listed('text-embedding-004', 'embedContent'),
      ],
    },
    read,
    notFound: () => error(404, 'NOT_FOUND', 'Not Found'),
    errors: {
      unauthorized: wrongKey,
      rate_limited: overQuota,
      quota: overQuota,
      server_error: ({ status = 500 }) =>
        status === 503
          ? error(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.')
          : error(status, 'INTERNAL', 'An internal error has occurred.'),
    },
    wire: (completion, chat) => wireCompletion(completion, chat.stream === true),
  });
}

const callSchema = z.object({ call: z.string() });

function read(request: FastifyRequest): ChatRequest | ApiError {
  const { call } = callSchema.parse(request.params);
  const [, model = '', method = ''] = /^(.*):(generateContent|streamGenerateContent)$/.exec(call) ?? [];
  if (!modelNames.includes(model)) {
    const message = `models/${model} is not found for API version v1beta, or is not supported for generateContent.`;
    return error(404, 'NOT_FOUND', message);
  }
  const parsed = generateRequest.safeParse(request.body);
  if (parsed.success) return chatOf(model, parsed.data, method === 'streamGenerateContent');
  const { path, message } = firstIssue(parsed.error);
  return error(400, 'INVALID_ARGUMENT', `Invalid value at '${path}': ${message}`);
}

function error(code: number, status: string, message: string, ...details: object[]): ApiError {
  const body = { error: { code, status, message, ...(details.length > 0 ? { details } : {}) } };
  return { status: code, code: status, body };
}

const wrongKey = (): ApiError =>
  error(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'API_KEY_INVALID',
    domain: 'googleapis.com',
  });

/** No header here: the details contain the time to wait. */
function overQuota({ retryAfterSeconds = 1 }: Fault): ApiError {
  const message = 'You exceeded your current quota, please check your plan and billing details.';
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` };
  return error(429, 'RESOURCE_EXHAUSTED', message, retry);
}
