/** Faults that every call of a messenger's API may meet, before and after its work. */
import type { FastifyReply } from 'fastify';
import type { Fault } from './contract.ts';
import type { FaultOccasion } from './faults.ts';
import { destroy } from './http.ts';
import type { World } from './world.ts';

/** The vendor's part: how it answers errors. */
interface Vendor {
  readonly name: 'wazzup24' | 'chatpush';
  /** Body of an answer that is no JSON. */
  readonly malformed: string;
  /** Status that is reported before the answer to a send. */
  readonly firstStatus: 'sent' | 'delivered';
  /** Body of an answer with 5xx. */
  serverError(fault: Fault): object | string;
}

export type CallFaults = ReturnType<typeof createCallFaults>;

export function createCallFaults({ faults, timers, receipts, hooks }: World, vendor: Vendor) {
  const { name } = vendor;

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
    /** Return why the call is refused before any work: too many requests, or a server error. */
    refusal: (occasion: FaultOccasion) => {
      const limited = faults.take(`${name}.rate_limited`, occasion);
      if (limited !== undefined) return { status: 429, fault: limited };
      const failing = faults.take(`${name}.fail_before`, occasion);
      return failing === undefined ? null : { status: failing.status ?? 500, fault: failing };
    },
    /** Wait, and leave the caller without a usable answer before any work. Returns whether the reply is used up. */
    before: (reply: FastifyReply, occasion: FaultOccasion) => spoil(reply, occasion, false),
    /** The same after the message has been accepted. */
    after: async (reply: FastifyReply, occasion: FaultOccasion, messageId: string) => {
      if (faults.take(`${name}.status_first`, occasion) !== undefined) {
        const hookId = receipts.record(messageId, { status: vendor.firstStatus });
        if (hookId !== undefined) await hooks.firstAnswer(hookId, 2_000);
      }
      if (faults.take(`${name}.lose_answer`, occasion) !== undefined) {
        destroy(reply);
        return true;
      }
      const failing = faults.take(`${name}.fail_after`, occasion);
      if (failing !== undefined) {
        void reply.code(failing.status ?? 500).send(vendor.serverError(failing));
        return true;
      }
      return spoil(reply, occasion, true);
    },
  };
}
