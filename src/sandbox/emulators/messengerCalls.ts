/** Calls of a messenger's API: admission, refusals, and the faults before and after their work. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken } from './bearerToken.ts';
import type { Fault } from './contract.ts';
import type { FaultOccasion } from './faults.ts';
import { destroy } from './http.ts';
import type { World } from './world.ts';

/** A refused call. `code` is recorded. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly body: object | string;
}

/** A call, before its key is known. */
export interface Call {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly route: string;
  /** What is known of the message of a send. */
  readonly message?: Pick<FaultOccasion, 'channelId' | 'to' | 'text'> & { crmMessageId?: string | undefined };
}

/** The vendor's part. */
interface Vendor<Account> {
  readonly name: 'wazzup24' | 'chatpush';
  accountOf(key: string): Account | undefined;
  isWithinRate(key: string): boolean;
  readonly wrongKey: Refusal;
  readonly tooMany: Refusal;
  serverError(fault: Fault): Refusal;
  /** Body of an answer that is no JSON. */
  readonly malformed: string;
  /** Status that is reported before the answer to a send. */
  readonly firstStatus: 'sent' | 'delivered';
}

const keyOf = (request: FastifyRequest): string => bearerToken(request) ?? '';

export const occasionOf = ({ request, route, message: { channelId, to, text } = {} }: Call): FaultOccasion => {
  return { account: keyOf(request), route, channelId, to, text };
};

export function createMessengerCalls<Account>(world: World, vendor: Vendor<Account>) {
  const { faults, timers, receipts, hooks, journal } = world;
  const { name } = vendor;

  function refuse({ request, reply, route, message }: Call, { status, code, body }: Refusal): FastifyReply {
    const { crmMessageId } = message ?? {};
    journal.append({ kind: 'refused', vendor: name, account: keyOf(request), route, status, code, crmMessageId });
    return reply.code(status).send(body);
  }

  function authenticate(call: Call): Account | undefined {
    const account = vendor.accountOf(keyOf(call.request));
    if (account === undefined) refuse(call, vendor.wrongKey);
    return account;
  }

  /** Wait, and leave the caller without a usable answer. Returns whether the reply is used up. */
  async function spoil(reply: FastifyReply, occasion: FaultOccasion, isAfter: boolean): Promise<boolean> {
    const isItsTurn = ({ after = false }: Fault) => after === isAfter;
    const delay = faults.take(`${name}.delay`, occasion, isItsTurn);
    if (delay !== undefined) await timers.pause(delay.ms ?? 1_000);
    if (faults.take(`${name}.hang`, occasion, isItsTurn) !== undefined) {
      reply.hijack();
      return true;
    }
    if (faults.take(`${name}.rubbish`, occasion, isItsTurn) === undefined) return false;
    void reply.code(200).type('application/json').send(vendor.malformed);
    return true;
  }

  return {
    refuse,
    authenticate,
    /** Check the key, the rate limit and the faults that apply before any work; undefined if the reply has been sent. */
    authorize: async (call: Call): Promise<Account | undefined> => {
      const account = authenticate(call);
      if (account === undefined) return undefined;
      const occasion = occasionOf(call);
      const limited = vendor.isWithinRate(keyOf(call.request)) ? faults.take(`${name}.rate_limited`, occasion) : {};
      const failing = limited === undefined ? faults.take(`${name}.fail_before`, occasion) : undefined;
      if (limited !== undefined || failing !== undefined) {
        const { retryAfterSeconds } = { ...limited, ...failing };
        if (retryAfterSeconds !== undefined) void call.reply.header('retry-after', String(retryAfterSeconds));
        refuse(call, failing === undefined ? vendor.tooMany : vendor.serverError(failing));
        return undefined;
      }
      return (await spoil(call.reply, occasion, false)) ? undefined : account;
    },
    /** Apply the faults after a message has been accepted. Returns whether the reply is used up. */
    afterSend: async (reply: FastifyReply, occasion: FaultOccasion, messageId: string): Promise<boolean> => {
      if (faults.take(`${name}.status_first`, occasion) !== undefined) {
        const hookId = receipts.record(messageId, { status: vendor.firstStatus });
        if (hookId !== undefined) await hooks.firstAnswer(hookId, 2_000);
      }
      if (faults.take(`${name}.lose_answer`, occasion) !== undefined) {
        destroy(reply);
        return true;
      }
      const failing = faults.take(`${name}.fail_after`, occasion);
      if (failing === undefined) return spoil(reply, occasion, true);
      const { status, body } = vendor.serverError(failing);
      void reply.code(status).send(body);
      return true;
    },
  };
}
