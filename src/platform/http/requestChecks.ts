/** The checks of a request, before its body is read and after. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Endpoint } from '../contract.ts';
import type { Log } from '../log.ts';
import { commonRefusals, refuse } from '../refuse.ts';
import { authorize } from './authorize.ts';
import { type Caller, requireReauthentication } from './caller.ts';
import { type CompiledRoute, REQUEST_PARTS, type RequestPart } from './compiledRoute.ts';
import { validationError } from './errors.ts';
import { refuseUnstorable } from './json.ts';
import { callerNow, isStill, requireStill } from './revocation.ts';
import type { Call } from './routes.ts';
import { coerce, collectReferences } from './shapes.ts';
import { ifMatchOf } from './versionHeaders.ts';

/** Authorize a request before its body is read. */
export async function authorizeRequest(
  compiled: CompiledRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { route, options } = compiled;
  const { parsers, schemas } = compiled.shapes();
  const parsed = parsers.params(coerce(request.params as Record<string, unknown>, schemas.params));
  const params = parsed.success ? parsed.data : null;
  // A secret can only be looked up if the path has the declared shape. Without a secret the shape is checked after
  // authorization.
  if (route.secret) requireValidPath(request, parsed);
  const authorized = await authorize({ route, request, reply, params, options });
  requireValidPath(request, parsed);
  compiled.authorizedRequests.set(request, { params, authorized });
}

function requireValidPath(request: FastifyRequest, parsed: z.ZodSafeParseResult<unknown>): void {
  refuseUnstorable('path', request.params);
  if (!parsed.success) throw validationError('path', parsed.error);
}

/** Run all checks that come before the handler. */
export async function parseRequest(
  compiled: CompiledRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Call<Endpoint>> {
  const { options } = compiled;
  const { parsers, schemas, readOnlyFields } = compiled.shapes();
  const { endpoint, precheck } = compiled.route;
  const entry = compiled.authorizedRequests.get(request);
  if (!entry) throw new Error(`${endpoint.method} ${endpoint.path} was not authorized`);
  const { params, authorized } = entry;
  refuseUnstorable('query', request.query);
  const query = parsers.query(coerce(request.query as Record<string, unknown>, schemas.query));
  if (!query.success) throw validationError('query', query.error);
  const hasBody = endpoint.method !== 'GET' && endpoint.method !== 'DELETE';
  const body = parsers.body(hasBody || request.body !== undefined ? (request.body ?? {}) : {});
  if (!body.success) throw validationError('body', body.error);
  for (const field of readOnlyFields) Reflect.deleteProperty(body.data as object, field);
  requireReauthentication(endpoint, authorized.caller, body.data);
  precheck?.({ body: body.data, raw: request });
  const slot = authorized.takeSlot();
  await slot?.waitToRun();
  // Since the caller was let in, the body was read and other requests were served.
  const use = { accessControl: options.accessControl, request, endpoint };
  const caller = authorized.caller && (await callerNow({ ...use, caller: authorized.caller }));
  const parts = { params, query: query.data, body: body.data };
  const { references, companies } = await requireAccessible(compiled, caller, parts);
  for (const company of companies) await slot?.addParty(`company:${company}`);
  const still = async (): Promise<void> => {
    if (caller) await requireStill({ ...use, caller }, references);
  };
  // The request may have waited in a company's queue.
  await still();
  return {
    ...parts,
    ifMatch: endpoint.versioned ? ifMatchOf(request) : null,
    log: request.log as Log,
    requestId: request.id,
    raw: request,
    reply,
    maybeCaller: caller,
    get caller(): Caller {
      if (!caller) throw new Error(`${endpoint.path} has no caller`);
      return caller;
    },
    requireStill: still,
    stillAllowed: () => isStill(still()),
  };
}

/** Require that the rows that a request refers to exist and are accessible. Returns them and their companies. */
async function requireAccessible(
  { shapes, options }: CompiledRoute,
  caller: Caller | null,
  parts: Readonly<Record<RequestPart, unknown>>,
): Promise<{ references: Map<string, Set<number>>; companies: ReadonlySet<number> }> {
  const references = new Map<string, Set<number>>();
  const companies = new Set<number>();
  const { referencePaths } = shapes();
  for (const part of REQUEST_PARTS) collectReferences(parts[part], referencePaths[part], references);
  if (references.size === 0) return { references, companies };
  const inaccessible = await options.accessControl.findInaccessible(caller, references, (company) => {
    companies.add(company);
  });
  if (inaccessible) throw refuse(commonRefusals, 'not_found', { noun: inaccessible.replaceAll('_', ' ') });
  return { references, companies };
}
