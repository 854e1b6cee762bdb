/**
 * Refusals: everything the product declines to do, as a code. A module lists its codes in its contract; the status and
 * the sentence are beside the code, nowhere else. Browser-safe.
 */

export interface RefusalKind {
  /** HTTP status. */
  readonly status: number;
  /** Text for the operator; `{name}` is filled from the refusal's values. */
  readonly sentence: string;
}
export type RefusalKinds = Readonly<Record<string, RefusalKind>>;
export type RefusalValues = Readonly<Record<string, string | number>>;

interface RetryAfter {
  readonly retryAfter?: number;
}

/** An expected refusal. Verbs throw it; one place turns it into an HTTP reply. */
export class Refusal extends Error {
  readonly code: string;
  readonly status: number;
  /** Seconds after which a retry may succeed; sent as Retry-After. */
  readonly retryAfter: number | undefined;
  /** What the reply says beside the sentence, as declared by the endpoint. */
  readonly facts: object | undefined;

  constructor({
    code,
    status,
    message,
    retryAfter,
    facts,
  }: Pick<Refusal, 'code' | 'status' | 'message'> & RetryAfter & { readonly facts?: object }) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    this.facts = facts;
  }

  /** Return the refusal with facts that its reply has beside the sentence: `{ detail, ...facts }`. */
  withFacts(facts: object): Refusal {
    const { code, status, message, retryAfter } = this;
    return new Refusal({ code, status, message, facts, ...(retryAfter === undefined ? {} : { retryAfter }) });
  }
}

/**
 * Create the refusal `code` of a module's list: `throw refuse(leadRefusals, 'lead.inactive')`. A value `retryAfter` is
 * not shown: it is the seconds after which a retry may succeed.
 */
export function refuse<K extends RefusalKinds>(
  kinds: K,
  code: keyof K & string,
  { retryAfter, ...values }: RefusalValues & RetryAfter = {},
): Refusal {
  const kind: RefusalKind | undefined = kinds[code];
  if (!kind) throw new Error(`Unlisted refusal ${code}`);
  const message = kind.sentence.replace(/\{(\w+)\}/g, (whole, key: string) => String(values[key] ?? whole));
  return new Refusal({ code, status: kind.status, message, ...(retryAfter === undefined ? {} : { retryAfter }) });
}

/** Refusals that any module may use. */
export const commonRefusals = {
  not_found: { status: 404, sentence: 'There is no such {noun}.' },
  unauthorized: { status: 401, sentence: 'Please sign in.' },
  forbidden: { status: 403, sentence: 'Only an admin may do this.' },
  proof_required: { status: 403, sentence: 'Confirm your identity with your password or a passkey first.' },
  password_change_due: { status: 403, sentence: 'Somebody else has set your password. Choose another one first.' },
  second_factor_missing: { status: 403, sentence: 'This installation requires a second factor. Add one first.' },
  origin_missing: { status: 403, sentence: 'Send the header "Origin: {origin}" with this request.' },
  foreign_origin: { status: 403, sentence: 'The request does not come from this console.' },
  method_not_allowed: { status: 405, sentence: '{method} is not allowed here. Allowed: {allowed}.' },
  unsupported_media: { status: 415, sentence: 'The body has to be JSON.' },
  unsupported_encoding: {
    status: 415,
    sentence: 'Send the body without compression: Content-Encoding {encoding} is not accepted.',
  },
  ambiguous_header: { status: 400, sentence: 'The header {name} has to be sent once.' },
  unsupported_charset: { status: 415, sentence: 'The body has to be in UTF-8.' },
  upgrade_required: { status: 426, sentence: 'This address is a WebSocket. Connect with Upgrade: websocket.' },
  too_large: { status: 413, sentence: 'The body is larger than the limit of {limit} bytes.' },
  conflict: { status: 409, sentence: 'This conflicts with what is already stored.' },
  changed: { status: 409, sentence: 'Changed by {login} at {time}.' },
  changed_meanwhile: { status: 409, sentence: 'This was changed in the meantime. Read it again before you change it.' },
  too_many_requests: {
    status: 429,
    sentence: 'Too many of your requests are in progress. Please try again in a moment.',
  },
  overloaded: { status: 503, sentence: 'The server is overloaded. Please try again in a moment.' },
  no_answer: { status: 503, sentence: '{reason}.' },
  unavailable: { status: 503, sentence: 'The database does not answer. Please try again in a moment.' },
} satisfies RefusalKinds;
