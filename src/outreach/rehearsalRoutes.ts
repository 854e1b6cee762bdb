/** What would go out, what a change would do, and what comes next for one lead. */
import { DAY_MS, dayAt, dayText } from '../platform/days.ts';
import type { Reader } from '../platform/db.ts';
import type { Ground } from '../platform/ground.ts';
import { ok, type Route, route } from '../platform/http/routes.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import { readProduct } from '../products/product.ts';
import type { LeadFacts, Settings } from './facts.ts';
import { plan } from './plan.ts';
import { compare, play, proposed, type Stage, setStage } from './rehearsal.ts';
import {
  type LeadOutreach,
  type RehearsedMessage,
  readConsequences,
  readLeadOutreach,
  readRehearsal,
  type SequenceState,
} from './rehearsalContract.ts';
import type { Rehearsal, Rehearsed } from './rehearse.ts';
import { countersOf, leadFacts, leadNames, settingsOf, verdictRow } from './store/facts.ts';
import { waitingMessages } from './store/waiting.ts';
import { previewText } from './text.ts';
import type { Why } from './why.ts';

const iso = (ms: number) => new Date(ms).toISOString();

export function rehearsalRoutes(ground: Ground): Route[] {
  const { reader } = ground;
  return [
    route(readRehearsal, async ({ query }) => {
      const stage = await mustSetStage(reader, query.product_id);
      const { zone } = stage.settings;
      const played = play(stage, stage.settings, query.days);
      const chosen = played.messages.filter(
        (one) =>
          (query.day === undefined || dayText(dayAt(zone, one.at)) === query.day) &&
          (query.kind === undefined || query.kind.includes(one.kind)) &&
          (query.lead_id === undefined || query.lead_id.includes(one.leadId)),
      );
      const { page, limit } = query;
      const shown = chosen.slice((page - 1) * limit, page * limit);
      const to = stage.from + query.days * DAY_MS;
      return ok(200, {
        from: iso(stage.from),
        to: iso(to),
        leads: stage.leads.length,
        cut: stage.cut,
        days: daysOf(played, zone, stage.from, to),
        limits: played.limits.map(({ day, type }) => ({ day: dayText(day), type })),
        silent: silentOf(played),
        items: await itemsOf(reader, stage, shown),
        total: chosen.length,
        page,
        limit,
      });
    }),
    route(readConsequences, async ({ body }) => {
      const stage = await mustSetStage(reader, body.product_id);
      const before = play(stage, stage.settings, body.days);
      const settings = proposed(stage.stored, body.proposal, stage.from);
      // Another zone has other days: what of the limit is used up is counted again.
      const counters = body.proposal.timezone === undefined ? stage.counters : await countersOf(reader, settings);
      const after = play({ ...stage, counters }, settings, body.days);
      return ok(200, { ...compare(before, after, stage.from), timezone: settings.zone });
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
        zone: zoneOf(lead, settings),
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

async function mustSetStage(reader: Reader, productId: number): Promise<Stage> {
  const stage = await setStage(reader, productId);
  if (!stage) throw refuse(commonRefusals, 'not_found', { noun: 'product' });
  return stage;
}

const zoneOf = (lead: LeadFacts, settings: Settings) => lead.zone ?? settings.hours?.zone ?? null;

function daysOf(played: Rehearsal, zone: string, from: number, to: number) {
  const today = dayAt(zone, from);
  const days = Array.from({ length: dayAt(zone, to) - today + 1 }, (_none, index) => ({
    day: dayText(today + index),
    first: 0,
    ping: 0,
    scheduled: 0,
    expired: 0,
  }));
  for (const one of played.messages) {
    const day = days[dayAt(zone, one.at) - today];
    if (day) day[one.kind]++;
  }
  for (const one of played.expired) {
    const day = days[dayAt(zone, one.at) - today];
    if (day) day.expired++;
  }
  return days;
}

/** Leads to whom nothing is said, by reason, the commonest first. */
function silentOf(played: Rehearsal): { why: Why; leads: number }[] {
  const counted = new Map<string, { why: Why; leads: number }>();
  for (const why of played.silent) {
    // Who or how many stand before it differs from lead to lead: these are one reason.
    const key = why.code === 'line' || why.code === 'person_known' ? why.code : JSON.stringify(why);
    const known = counted.get(key);
    if (known) known.leads++;
    else counted.set(key, { why, leads: 1 });
  }
  return [...counted.values()].toSorted((a, b) => b.leads - a.leads).slice(0, 50);
}

async function itemsOf(reader: Reader, stage: Stage, shown: readonly Rehearsed[]): Promise<RehearsedMessage[]> {
  const product = await readProduct(reader, stage.settings.productId);
  if (!product) return [];
  const names = await leadNames(reader, [...new Set(shown.map((one) => one.leadId))]);
  const leads = new Map(stage.leads.map((lead) => [lead.id, lead]));
  const waits = shown.filter((one) => one.kind === 'scheduled').map((one) => one.leadId);
  const waiting = await waitingMessages(reader, waits);
  const items: RehearsedMessage[] = [];
  for (const one of shown) {
    const lead = leads.get(one.leadId);
    items.push({
      lead_id: one.leadId,
      lead_name: names.get(one.leadId) ?? '',
      kind: one.kind,
      step: one.kind === 'ping' ? one.step : null,
      at: iso(one.at),
      zone: lead ? zoneOf(lead, stage.settings) : null,
      channel:
        stage.settings.links.find((link) => link.channelId === one.channelId)?.name ??
        (one.kind === 'scheduled' ? (waiting.get(one.leadId)?.channel ?? null) : null),
      why: one.why,
      text: await textOf(reader, stage, product, one, waiting.get(one.leadId)?.text),
    });
  }
  return items;
}

async function textOf(
  reader: Reader,
  stage: Stage,
  product: NonNullable<Awaited<ReturnType<typeof readProduct>>>,
  one: Rehearsed,
  waiting: string | undefined,
): Promise<RehearsedMessage['text']> {
  const { messaging_config: firsts } = stage.stored.config;
  const step = stage.settings.pings?.steps[one.step - 1];
  if (one.kind === 'first' && firsts) return previewText(reader, product, one.leadId, one.contactId, { firsts });
  if (one.kind === 'ping' && step) return previewText(reader, product, one.leadId, null, { step });
  return { kind: 'text', name: null, text: waiting ?? 'A message that waits in the dialogue' };
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
