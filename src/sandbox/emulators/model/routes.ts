/** The routes of an emulated model vendor: the list of models, and the call that answers a chat. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Fault, ModelVendor } from '../contract.ts';
import type { World } from '../world.ts';
import type { ChatRequest } from './request.ts';
import { type Completion, modelCall, respond } from './respond.ts';
import type { WireCompletion } from './stream.ts';

/** An error in the vendor's shape. `code` is recorded. */
export interface ApiError {
  readonly status: number;
  readonly code: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Faults that replace the answer by an error. */
const ERRORS = ['unauthorized', 'rate_limited', 'quota', 'server_error'] as const;

/** The vendor's part. */
export interface ModelApi<Chat extends ChatRequest> {
  readonly vendor: ModelVendor;
  /** Path of its API, and that of the call below it. */
  readonly base: string;
  readonly path: string;
  readonly keyPrefix: string;
  keyOf(request: FastifyRequest): string | undefined;
  wrongKey(key: string | undefined): ApiError;
  /** Body of the list of models. */
  readonly models: object;
  /** Read a request; an error if it is not accepted. */
  read(request: FastifyRequest): Chat | ApiError;
  notFound(request: FastifyRequest): ApiError;
  readonly errors: Readonly<Record<(typeof ERRORS)[number], (fault: Fault) => ApiError>>;
  wire(completion: Completion, chat: Chat): WireCompletion;
}

export function modelRoutes<Chat extends ChatRequest>(app: FastifyInstance, world: World, api: ModelApi<Chat>): void {
  const { vendor, base, path } = api;
  const refuse = (reply: FastifyReply, { status, code, body, headers = {} }: ApiError, route: string) => {
    world.journal.append({ kind: 'refused', vendor, account: '', route, status, code });
    return reply.code(status).headers(headers).send(body);
  };
  const isKey = (key: string | undefined): key is string => key?.startsWith(api.keyPrefix) ?? false;

  app.get(`${base}/models`, async (request, reply) => {
    const key = api.keyOf(request);
    return isKey(key) ? api.models : refuse(reply, api.wrongKey(key), 'models');
  });
  app.post(`${base}${path}`, async (request, reply) => {
    const account = api.keyOf(request);
    if (!isKey(account)) return refuse(reply, api.wrongKey(account), path);
    const chat = api.read(request);
    if ('code' in chat) return refuse(reply, chat, path);
    const call = modelCall(vendor, { world, account, chat });
    for (const kind of ERRORS) {
      const fault = call.take(kind);
      if (fault !== undefined) return refuse(reply, api.errors[kind](fault), path);
    }
    return respond(reply, call, (completion) => api.wire(completion, chat));
  });
  app.all(`/${vendor}/*`, async (request, reply) => refuse(reply, api.notFound(request), 'other'));
}

/** Return where a request is invalid, and why. */
export function firstIssue({ issues: [issue] }: z.ZodError): { path: string; message: string } {
  return { path: issue?.path.join('.') ?? '', message: issue?.message ?? 'unreadable' };
}
