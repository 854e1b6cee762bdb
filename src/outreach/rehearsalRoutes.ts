/** What would go out, what a change would do, and what comes next for one lead. */
import type { Reader } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { Invalid } from '../platform/http/errors.ts';
import { goneSignal } from '../platform/http/goneSignal.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { OverBudget } from '../platform/threads.ts';
import { readProduct } from '../products/product.ts';
import type { LeadFacts, Settings } from './facts.ts';
import { plan } from './plan.ts';
import {
  type LeadOutreach,
  readConsequences,
  readLeadOutreach,
  readRehearsal,
  type SequenceState,
} from './rehearsalContract.ts';
import { type Foreseeing, type Foreseen, rehearsalKind } from './rehearsalKind.ts';
import { countersOf, leadFacts, settingsOf, verdictRow } from './store/facts.ts';
import type { Why } from './why.ts';

const gone = () => refuse(commonRefusals, 'not_found', { noun: 'product' });
const iso = (ms: number) => new Date(ms).toISOString();

export function rehearsalRoutes(ground: Ground): Route[] {
  const { reader } = ground;
  return [
    route(readRehearsal, async ({ query, reply }) => {
      const answer = await foresee(ground, query.product_id, { kind: 'rehearsal', query }, 'query', goneSignal(reply));
      if (answer.kind !== 'rehearsal') throw gone();
      return ok(200, answer.body);
    }),
    route(readConsequences, async ({ body, reply, requireStill }) => {
      const answer = await foresee(ground, body.product_id, { kind: 'consequences', body }, 'body', goneSignal(reply));
      if (answer.kind !== 'consequences') throw gone();
      await requireStill();
      return ok(200, answer.body);
    }),
    route(readLeadOutreach, async ({ params }) => {
      const [lead] = await leadFacts(reader, [params.lead_id]);
      const settings = lead ? await settingsOf(reader, lead.productId) : undefined;
      if (!lead || !settings) throw refuse(commonRefusals, 'not_found', { noun: 'lead' });
      const { next, at, why } = await verdictOn(reader, lead, settings);
      return ok(200, {
        state: stateOf(lead, why, next),
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

/**
 * What the plan says of a lead as things stand: its kept verdict is some moments older than a change. What only the
 * worker knows, a place in line and a text that could not be made, is read from there.
 */
async function verdictOn(
  reader: Reader,
  lead: LeadFacts & { readonly productId: number },
  settings: Settings,
): Promise<Pick<LeadOutreach, 'next' | 'at' | 'why'>> {
  const counters = await countersOf(reader, settings);
  const [decision] = plan({ leads: [lead], counters }, settings, counters.now);
  // A place in the queue is kept from when the queue last moved; what holds this lead back by itself is known now.
  const isQueued = decision?.kind === 'wait' && (decision.why.code === 'interval' || decision.why.code === 'line');
  if (decision?.kind === 'wait' && !isQueued) {
    const { next, until, why } = decision;
    return { next, at: until === null ? null : iso(until), why };
  }
  const due = decision === undefined || decision.kind === 'wait' ? 'first' : decision.kind;
  const kept = await verdictRow(reader, lead.id);
  if (kept?.will === due) return { next: kept.will, at: kept.will_at, why: kept.why };
  return { next: due, at: iso(counters.now), why: { code: due === 'first' ? 'interval' : 'now' } };
}

/** Has a thread work out what will be, for one company one thing at a time. */
async function foresee(
  ground: Ground,
  productId: number,
  input: Foreseeing,
  where: 'query' | 'body',
  signal: AbortSignal,
): Promise<Foreseen> {
  const product = await readProduct(ground.reader, productId);
  if (!product) throw gone();
  try {
    return await ground.threads.run(rehearsalKind, { key: String(product.company_id), input, signal });
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error;
    const msg = 'This takes too long to work out. Choose fewer days.';
    throw new Invalid([{ loc: [where, 'days'], msg, type: 'too_much' }]);
  }
}

/** Where a lead stands, in the words of a sequence. */
function stateOf(lead: LeadFacts, why: Why, will: 'first' | 'ping' | 'expire' | null): SequenceState {
  if (lead.optedOut) return 'opted out';
  if (why.code === 'last_failed' || why.code === 'first_refused' || why.code === 'text') return 'failed';
  if (why.code === 'human' || why.code === 'skipped' || !lead.isActive) return 'paused';
  if (lead.stage === 'initial') return 'waiting';
  if (will === 'ping' || why.code === 'outgoing') return 'active';
  return lead.lastUserAt === null ? 'finished, no reply' : 'finished, replied';
}
