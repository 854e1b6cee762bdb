/** Routes of the rehearsal, its comparison with a proposal, and the next action for one lead. */

import { readHandBackFacts } from '../conversations/store/handBack.ts';
import type { AppContext } from '../platform/appContext.ts';
import type { Reader } from '../platform/db.ts';
import { disconnectSignal } from '../platform/http/disconnectSignal.ts';
import { ValidationError } from '../platform/http/errors.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, Refusal, refuse } from '../platform/refuse.ts';
import { BudgetExceeded } from '../platform/threads.ts';
import { readProduct } from '../products/product.ts';
import type { LeadFacts, Settings } from './facts.ts';
import { decideHandBack } from './handBack.ts';
import { readHandBack } from './handBackContract.ts';
import { plan } from './plan.ts';
import type { Reason } from './reason.ts';
import {
  type LeadOutreach,
  readConsequences,
  readLeadOutreach,
  readRehearsal,
  rehearsalRefusals,
  type SequenceState,
} from './rehearsalContract.ts';
import { type RehearsalReply, type RehearsalRequest, rehearsalThreadKind } from './rehearsalThreadKind.ts';
import { readCounters, readLeadFacts, readPlanResult } from './store/facts.ts';
import { readSettings } from './store/planSettings.ts';

const dialogueNotFound = () => refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
const productNotFound = () => refuse(commonRefusals, 'not_found', { noun: 'product' });
const iso = (ms: number) => new Date(ms).toISOString();

export function rehearsalRoutes(context: AppContext): Route[] {
  const { reader } = context;
  return [
    route(readRehearsal, async ({ query, reply }) => {
      const answer = await computeInThread(context, {
        productId: query.product_id,
        input: { kind: 'rehearsal', query },
        where: 'query',
        signal: disconnectSignal(reply),
      });
      if (answer.kind !== 'rehearsal') throw productNotFound();
      return ok(200, answer.body);
    }),
    route(readConsequences, async ({ body, reply, requireStill }) => {
      const answer = await computeInThread(context, {
        productId: body.product_id,
        input: { kind: 'consequences', body },
        where: 'body',
        signal: disconnectSignal(reply),
      });
      if (answer.kind !== 'consequences') throw productNotFound();
      await requireStill();
      return ok(200, answer.body);
    }),
    route(readLeadOutreach, async ({ params }) => {
      const [lead] = await readLeadFacts(reader, context.cipher, [params.lead_id]);
      const settings = lead ? await readSettings(reader, lead.productId) : undefined;
      if (!lead || !settings) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
      const { next, at, why } = await currentPlanResult(reader, lead, settings);
      return ok(200, {
        state: sequenceStateOf(lead, why, next),
        next,
        at,
        why,
        dialogue_id: lead.dialogue?.id ?? null,
        last_bot_msg_id: lead.dialogue?.last?.ours ? lead.dialogue.last.id : null,
        zone: lead.zone ?? settings.hours?.zone ?? null,
      });
    }),
  ];
}

/** What the bot would do with a dialogue that it gets back. */
export function handBackRoute({ reader }: AppContext): Route {
  return route(readHandBack, async ({ params }) => {
    const facts = await readHandBackFacts(reader, params.id);
    const settings = facts ? await readSettings(reader, facts.product_id) : undefined;
    if (!facts || !settings) throw dialogueNotFound();
    return ok(200, decideHandBack(facts, settings));
  });
}

/**
 * Evaluate the plan for a lead as of now, since its stored result is a moment older than a change. Only what the worker
 * alone knows is read from the stored result: a position in the queue, and a text that could not be made.
 */
async function currentPlanResult(
  reader: Reader,
  lead: LeadFacts & { readonly productId: number },
  settings: Settings,
): Promise<Pick<LeadOutreach, 'next' | 'at' | 'why'>> {
  const counters = await readCounters(reader, settings);
  const [decision] = plan({ leads: [lead], counters }, settings, counters.now);
  // The position in the queue dates from when the queue last moved; what blocks this lead itself is known now.
  const isQueued =
    decision?.kind === 'wait' && (decision.reason.code === 'interval' || decision.reason.code === 'line');
  if (decision?.kind === 'wait' && !isQueued) {
    const { next, until, reason: why } = decision;
    return { next, at: until === null ? null : iso(until), why };
  }
  const due = decision === undefined || decision.kind === 'wait' ? 'first' : decision.kind;
  const stored = await readPlanResult(reader, lead.id);
  if (stored?.next_action === due) return { next: stored.next_action, at: stored.next_action_at, why: stored.reason };
  return { next: due, at: iso(counters.now), why: { code: due === 'first' ? 'interval' : 'now' } };
}

/** Compute a rehearsal in a thread, one at a time per company. */
async function computeInThread(
  context: AppContext,
  {
    productId,
    input,
    where,
    signal,
  }: { productId: number; input: RehearsalRequest; where: 'query' | 'body'; signal: AbortSignal },
): Promise<RehearsalReply> {
  const product = await readProduct(context.reader, productId);
  if (!product) throw productNotFound();
  try {
    return await context.threads.run(rehearsalThreadKind, { key: String(product.company_id), input, signal });
  } catch (error) {
    if (error instanceof Refusal && error.code === 'overloaded')
      throw refuse(rehearsalRefusals, 'rehearsal.busy', { retryAfter: error.retryAfter ?? 0 });
    if (!(error instanceof BudgetExceeded)) throw error;
    const msg = 'This takes too long to work out. Choose fewer days.';
    throw new ValidationError([{ loc: [where, 'days'], msg, type: 'too_much' }]);
  }
}

/** Return the state of a lead in its sequence. */
function sequenceStateOf(lead: LeadFacts, reason: Reason, next: 'first' | 'ping' | 'expire' | null): SequenceState {
  if (lead.optedOut) return 'opted out';
  if (reason.code === 'last_failed' || reason.code === 'first_refused' || reason.code === 'text') return 'failed';
  if (['human', 'skipped', 'paused'].includes(reason.code) || !lead.isActive) return 'paused';
  if (lead.stage === 'initial') return 'waiting';
  if (next === 'ping' || reason.code === 'outgoing') return 'active';
  return lead.lastUserAt === null ? 'finished, no reply' : 'finished, replied';
}
