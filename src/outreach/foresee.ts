/** Answers of a rehearsal, and of two that are compared. Reads and computes for seconds: it runs in a thread. */

import type { BodyOf, QueryOf } from '../platform/contract.ts';
import { DAY_MS, dayAt, dayText } from '../platform/days.ts';
import type { Reader } from '../platform/db.ts';
import { readProduct } from '../products/product.ts';
import type { Renderer } from '../prompts/prompt.ts';
import type { LeadFacts, Settings } from './facts.ts';
import { previewText } from './previewText.ts';
import { compare, play, proposed, type Stage, setStage } from './rehearsal.ts';
import type {
  Consequences,
  RehearsedMessage,
  readConsequences,
  readRehearsal,
  Rehearsal as Shown,
} from './rehearsalContract.ts';
import type { Foreseeing, Foreseen } from './rehearsalKind.ts';
import type { Rehearsal, Rehearsed } from './rehearse.ts';
import { countersOf, leadNames } from './store/facts.ts';
import { waitingMessages } from './store/waiting.ts';
import type { Why } from './why.ts';

const iso = (ms: number) => new Date(ms).toISOString();

/** Works out what was asked for. */
export async function foresee(reader: Reader, asked: Foreseeing): Promise<Foreseen> {
  const productId = asked.kind === 'rehearsal' ? asked.query.product_id : asked.body.product_id;
  const stage = await setStage(reader, productId);
  if (!stage) return { kind: 'none' };
  if (asked.kind === 'rehearsal') return { kind: 'rehearsal', body: await rehearsalOf(reader, stage, asked.query) };
  return { kind: 'consequences', body: await consequencesOf(reader, stage, asked.body) };
}

async function rehearsalOf(reader: Reader, stage: Stage, query: QueryOf<typeof readRehearsal>): Promise<Shown> {
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
  return {
    from: iso(stage.from),
    to: iso(to),
    leads: stage.leads.length,
    cut: stage.cut,
    days: daysOf(played, zone, stage.from, to),
    limits: played.limits.map(({ day, type }) => ({ day: dayText(day), type })),
    silent: silentOf(played),
    items: await itemsOf({ reader, threads: null }, stage, shown),
    total: chosen.length,
    page,
    limit,
  };
}

async function consequencesOf(
  reader: Reader,
  stage: Stage,
  body: BodyOf<typeof readConsequences>,
): Promise<Consequences> {
  const before = play(stage, stage.settings, body.days);
  const settings = proposed(stage.stored, body.proposal, stage.from);
  // Another zone has other days: what of the limit is used up is counted again.
  const counters = body.proposal.timezone === undefined ? stage.counters : await countersOf(reader, settings);
  const after = play({ ...stage, counters }, settings, body.days);
  return { ...compare(before, after, stage.from), timezone: settings.zone };
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

async function itemsOf(renderer: Renderer, stage: Stage, shown: readonly Rehearsed[]): Promise<RehearsedMessage[]> {
  const { reader } = renderer;
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
      text: await textOf(renderer, stage, product, one, waiting.get(one.leadId)?.text),
    });
  }
  return items;
}

async function textOf(
  renderer: Renderer,
  stage: Stage,
  product: NonNullable<Awaited<ReturnType<typeof readProduct>>>,
  one: Rehearsed,
  waiting: string | undefined,
): Promise<RehearsedMessage['text']> {
  const { messaging_config: firsts } = stage.stored.config;
  const step = stage.settings.pings?.steps[one.step - 1];
  if (one.kind === 'first' && firsts) return previewText(renderer, product, one.leadId, one.contactId, { firsts });
  if (one.kind === 'ping' && step) return previewText(renderer, product, one.leadId, null, { step });
  return { kind: 'text', name: null, text: waiting ?? 'A message that waits in the dialogue' };
}
