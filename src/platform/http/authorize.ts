/**
 * Who asks, and whether there is room for the request: before its body is read, so that a request without rights costs no
 * more than its head. Strangers may send a body to a few endpoints only (a login, the secrets of a new integration): these
 * take their place when it is there, so that nobody keeps it by sending slowly.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BACKGROUND_HEADER, type Endpoint, needsOrigin } from '../contract.ts';
import { commonRefusals, refuse } from '../refuse.ts';
import { type Admission, classOf, type Party, type Place, type RequestClass } from './admission.ts';
import { type Caller, type Check, type Gate, requireAccess, sameText } from './caller.ts';
import { noteCaller } from './refusalLog.ts';
import type { Route } from './routes.ts';

export interface Doors {
  readonly gate: Gate;
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
  readonly takePlace: () => Place | null;
  /** Its handler has done its work. */
  readonly rest: () => void;
}

/** A refused body of this size is not read to its end: the connection is closed instead. */
const SMALL_BODY = 64 * 1024;

/** Classes of strangers: their place is taken when the body is there. */
const AFTER_BODY: readonly RequestClass[] = ['login', 'public'];

function bearer(request: FastifyRequest): string | null {
  const match = /^Bearer (.+)$/.exec(request.headers.authorization ?? '');
  return match?.[1] ?? null;
}

/** Cookie requests that may change something have to come from our own page. */
function checkOrigin(endpoint: Endpoint, request: FastifyRequest, { origin: ours, isOurOrigin }: Doors): void {
  if (!needsOrigin(endpoint)) return;
  if (endpoint.access === 'session-or-hook' && bearer(request) !== null) return;
  const { origin } = request.headers;
  if (origin === undefined) throw refuse(commonRefusals, 'origin_missing', { origin: ours });
  if (!isOurOrigin(origin)) throw refuse(commonRefusals, 'foreign_origin');
}

/** What is not remembered is looked up, so many at once of each address. */
async function find<Of, Owner>(check: Check<Of, Owner>, of: Of, enter: () => Place): Promise<Owner | null> {
  const remembered = check.recall(of);
  if (remembered !== undefined) return remembered;
  const place = enter();
  try {
    await place.run();
    return await check.find(of);
  } finally {
    place.leave();
  }
}

/** Who calls, and as whom the request counts. Throws a refusal for whoever may not. */
async function identify(
  { endpoint, secret }: Route,
  request: FastifyRequest,
  params: unknown,
  doors: Doors,
): Promise<{ caller: Caller | null; party: Party }> {
  const { gate, admission, metricsToken, sandbox } = doors;
  const address = gate.addressOf(request);
  const stranger = { caller: null, party: address };
  const lookUp = (requestClass: RequestClass) => () => admission.enter(requestClass, [address]);
  switch (endpoint.access) {
    case 'public':
    case 'sandbox':
      return stranger;
    case 'hook': {
      if (!secret) return stranger;
      const party = await find(secret, params, lookUp('public'));
      if (party !== null) return { caller: null, party };
      secret.refused?.(params);
      throw refuse(commonRefusals, 'not_found', { noun: 'address' });
    }
    case 'document':
      if (sandbox) return stranger;
      break;
    case 'metrics': {
      const token = bearer(request);
      const open = metricsToken === null ? sandbox : token !== null && sameText(token, metricsToken);
      if (!open) throw refuse(commonRefusals, 'unauthorized');
      return stranger;
    }
    case 'session-or-hook': {
      const token = bearer(request);
      if (token === null) break;
      const party = await find(gate.bearer, token, lookUp('public'));
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
  const found = await find(gate.session, { request, isWork }, lookUp('session'));
  if (found) noteCaller(request, found);
  const caller = requireAccess(endpoint, found);
  return { caller, party: `operator:${caller.id}` };
}

/** Throws a refusal where the request may not go on. `params`: of its path, in their declared shape. */
export async function authorize(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { params, doors }: { readonly params: unknown; readonly doors: Doors },
): Promise<Authorized> {
  checkOrigin(route.endpoint, request, doors);
  const { caller, party } = await identify(route, request, params, doors).catch((error: unknown) => {
    if (!isSmall(request)) reply.header('connection', 'close');
    throw error;
  });
  const requestClass = classOf(route.endpoint);
  let taken: Place | null = null;
  const takePlace = (): Place | null => {
    if (taken || requestClass === null) return taken;
    const place = doors.admission.enter(requestClass, [party]);
    taken = place;
    // Of a socket the connection itself: its answer ends with the upgrade.
    (request.ws ? request.raw.socket : reply.raw).once('close', () => place.leave());
    return place;
  };
  if (requestClass !== null && !AFTER_BODY.includes(requestClass)) takePlace();
  return { caller, takePlace, rest: () => taken?.rest() };
}

function isSmall({ headers }: FastifyRequest): boolean {
  if (headers['transfer-encoding'] !== undefined) return false;
  return Number(headers['content-length'] ?? 0) <= SMALL_BODY;
}
