/**
 * Identify the caller and admit the request before its body is read, so a request without rights costs no more than its
 * head. Unknown callers may send a body to a few endpoints only (a login, the secrets of a new integration). These are
 * admitted once the body has arrived, so a slow client cannot occupy a slot.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BACKGROUND_HEADER } from '../backgroundHeader.ts';
import { type Endpoint, needsOrigin } from '../contract.ts';
import { commonRefusals, refuse } from '../refuse.ts';
import { type Admission, type AdmissionSlot, classOf, type Party, type RequestClass } from './admission.ts';
import { type AccessControl, type Caller, constantTimeEqual, type OwnerLookup, requireAccess } from './caller.ts';
import { noteCaller } from './refusalLog.ts';
import type { Route } from './routes.ts';

export interface AccessOptions {
  readonly accessControl: AccessControl;
  readonly admission: Admission;
  /** Origin of our own pages, named in refusals so that the caller knows what to send. */
  readonly origin: string;
  /** Report whether a request's Origin is ours. */
  readonly isOurOrigin: (origin: string) => boolean;
  readonly sandbox: boolean;
  readonly metricsToken: string | null;
}

/** A request that was let in. */
export interface Authorized {
  /** The signed-in operator; null if the endpoint requires none. */
  readonly caller: Caller | null;
  /** Take the admission slot if that was not done before the body was read. Return null if the request needs none. */
  readonly takeSlot: () => AdmissionSlot | null;
  /** Mark the handler as done. */
  readonly finish: () => void;
}

/**
 * Largest body, in bytes, that is read to its end after a refusal. For a larger one the connection is closed instead.
 */
const MAX_DRAINED_BODY = 64 * 1024;

/** Classes of unknown callers: their slot is taken once the body has arrived. */
const ADMITTED_AFTER_BODY: readonly RequestClass[] = ['login', 'public'];

function bearer(request: FastifyRequest): string | null {
  const match = /^Bearer (.+)$/.exec(request.headers.authorization ?? '');
  return match?.[1] ?? null;
}

/** Require cookie requests that may change something to come from our own page. */
function checkOrigin(endpoint: Endpoint, request: FastifyRequest, { origin: ours, isOurOrigin }: AccessOptions): void {
  if (!needsOrigin(endpoint)) return;
  if (endpoint.access === 'session-or-hook' && bearer(request) !== null) return;
  const { origin } = request.headers;
  if (origin === undefined) throw refuse(commonRefusals, 'origin_missing', { origin: ours });
  if (!isOurOrigin(origin)) throw refuse(commonRefusals, 'foreign_origin');
}

/** Return the cached owner, or look it up. Lookups are limited per address by admission. */
async function findOwner<Of, Owner>(
  check: OwnerLookup<Of, Owner>,
  input: Of,
  admit: () => AdmissionSlot,
): Promise<Owner | null> {
  const cached = check.findCached(input);
  if (cached !== undefined) return cached;
  const slot = admit();
  try {
    await slot.waitToRun();
    return await check.find(input);
  } finally {
    slot.release();
  }
}

interface AccessRequest {
  readonly route: Route;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The path parameters in their declared shape. */
  readonly params: unknown;
  readonly options: AccessOptions;
}

/** Identify the caller and the party that the request counts for. Throw a refusal if the caller has no access. */
async function identify({
  route: { endpoint, secret },
  request,
  params,
  options,
}: Omit<AccessRequest, 'reply'>): Promise<{ caller: Caller | null; party: Party }> {
  const { accessControl, admission, metricsToken, sandbox } = options;
  const address = accessControl.addressOf(request);
  const anonymous = { caller: null, party: address };
  const admitAddress = (requestClass: RequestClass) => () => admission.admit(requestClass, [address]);
  switch (endpoint.access) {
    case 'public':
    case 'sandbox':
      return anonymous;
    case 'hook': {
      if (!secret) return anonymous;
      const party = await findOwner(secret, params, admitAddress('public'));
      if (party !== null) return { caller: null, party };
      secret.refused?.(params);
      throw refuse(commonRefusals, 'not_found', { noun: 'address' });
    }
    case 'document':
      if (sandbox) return anonymous;
      break;
    case 'metrics': {
      const token = bearer(request);
      const open = metricsToken === null ? sandbox : token !== null && constantTimeEqual(token, metricsToken);
      if (!open) throw refuse(commonRefusals, 'unauthorized');
      return anonymous;
    }
    case 'session-or-hook': {
      const token = bearer(request);
      if (token === null) break;
      const party = await findOwner(accessControl.bearer, token, admitAddress('public'));
      if (party === null) throw refuse(commonRefusals, 'unauthorized');
      return { caller: null, party };
    }
    case 'session':
    case 'admin':
      break;
    default:
      endpoint.access satisfies never;
  }
  // Streams and sockets reconnect by themselves, so opening one does not count as activity of the operator.
  const isWork = endpoint.load !== 'stream' && !endpoint.socket && request.headers[BACKGROUND_HEADER] === undefined;
  const found = await findOwner(accessControl.session, { request, isActive: isWork }, admitAddress('session'));
  if (found) noteCaller(request, found);
  const caller = requireAccess(endpoint, found);
  return { caller, party: `operator:${caller.id}` };
}

/** Authorize a request, or throw a refusal. */
export async function authorize({ route, request, reply, params, options }: AccessRequest): Promise<Authorized> {
  checkOrigin(route.endpoint, request, options);
  const { caller, party } = await identify({ route, request, params, options }).catch((error: unknown) => {
    if (!hasSmallBody(request)) reply.header('connection', 'close');
    throw error;
  });
  const requestClass = classOf(route.endpoint);
  let slot: AdmissionSlot | null = null;
  const takeSlot = (): AdmissionSlot | null => {
    if (slot || requestClass === null) return slot;
    const newSlot = options.admission.admit(requestClass, [party]);
    slot = newSlot;
    // A socket is inside until its connection closes: its HTTP answer already ends with the upgrade.
    (request.ws ? request.raw.socket : reply.raw).once('close', () => newSlot.release());
    return newSlot;
  };
  if (requestClass !== null && !ADMITTED_AFTER_BODY.includes(requestClass)) takeSlot();
  return { caller, takeSlot, finish: () => slot?.finish() };
}

function hasSmallBody({ headers }: FastifyRequest): boolean {
  if (headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= MAX_DRAINED_BODY;
}
