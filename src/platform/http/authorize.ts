/**
 * Who asks, and whether there is room for the request: before its body is read, so that a request without rights costs no
 * more than its head. Strangers may send a body to a few endpoints only (a login, the secrets of a new integration): these
 * take their place when it is there, so that nobody keeps it by sending slowly.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BACKGROUND_HEADER, type Endpoint, needsOrigin } from '../contract.ts';
import { commonRefusals, refuse } from '../refuse.ts';
import { type Admission, type AdmissionSlot, classOf, type Party, type RequestClass } from './admission.ts';
import { type AccessControl, type Caller, constantTimeEqual, type OwnerLookup, requireAccess } from './caller.ts';
import { noteCaller } from './refusalLog.ts';
import type { Route } from './routes.ts';

export interface AccessOptions {
  readonly accessControl: AccessControl;
  readonly admission: Admission;
  /** The origin of our own pages: what a refusal tells a caller to send. */
  readonly origin: string;
  /** Whether a request's Origin is ours. */
  readonly isOurOrigin: (origin: string) => boolean;
  readonly sandbox: boolean;
  readonly metricsToken: string | null;
}

/** A request that may go on. */
export interface Authorized {
  /** The signed-in operator; null where none is asked for. */
  readonly caller: Caller | null;
  /** Takes the place, where that was not done before the body was read; null: it needs none. */
  readonly takeSlot: () => AdmissionSlot | null;
  /** Its handler has done its work. */
  readonly finish: () => void;
}

/** A refused body of this size is not read to its end: the connection is closed instead. */
const MAX_DRAINED_BODY = 64 * 1024;

/** Classes of strangers: their place is taken when the body is there. */
const ADMITTED_AFTER_BODY: readonly RequestClass[] = ['login', 'public'];

function bearer(request: FastifyRequest): string | null {
  const match = /^Bearer (.+)$/.exec(request.headers.authorization ?? '');
  return match?.[1] ?? null;
}

/** Cookie requests that may change something have to come from our own page. */
function checkOrigin(endpoint: Endpoint, request: FastifyRequest, { origin: ours, isOurOrigin }: AccessOptions): void {
  if (!needsOrigin(endpoint)) return;
  if (endpoint.access === 'session-or-hook' && bearer(request) !== null) return;
  const { origin } = request.headers;
  if (origin === undefined) throw refuse(commonRefusals, 'origin_missing', { origin: ours });
  if (!isOurOrigin(origin)) throw refuse(commonRefusals, 'foreign_origin');
}

/** What is not remembered is looked up, so many at once of each address. */
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

/** Who calls, and as whom the request counts. Throws a refusal for whoever may not. */
async function identify(
  { endpoint, secret }: Route,
  request: FastifyRequest,
  params: unknown,
  options: AccessOptions,
): Promise<{ caller: Caller | null; party: Party }> {
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
  // A stream or socket that opens, and opens again, is the console and not the operator.
  const isWork = endpoint.load !== 'stream' && !endpoint.socket && request.headers[BACKGROUND_HEADER] === undefined;
  const found = await findOwner(accessControl.session, { request, isActive: isWork }, admitAddress('session'));
  if (found) noteCaller(request, found);
  const caller = requireAccess(endpoint, found);
  return { caller, party: `operator:${caller.id}` };
}

/** Throws a refusal where the request may not go on. `params`: of its path, in their declared shape. */
export async function authorize(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { params, options }: { readonly params: unknown; readonly options: AccessOptions },
): Promise<Authorized> {
  checkOrigin(route.endpoint, request, options);
  const { caller, party } = await identify(route, request, params, options).catch((error: unknown) => {
    if (!hasSmallBody(request)) reply.header('connection', 'close');
    throw error;
  });
  const requestClass = classOf(route.endpoint);
  let slot: AdmissionSlot | null = null;
  const takeSlot = (): AdmissionSlot | null => {
    if (slot || requestClass === null) return slot;
    const newSlot = options.admission.admit(requestClass, [party]);
    slot = newSlot;
    // Of a socket the connection itself: its answer ends with the upgrade.
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
