/** Compute a rehearsal, or compare two of them. Reads and computes for seconds, so it runs in a thread. */

import { readArms } from '../experiments/assign.ts';
import type { FrozenContent } from '../experiments/contract.ts';
import { findProductWithFirstTexts } from '../experiments/store/assignments.ts';
import type { BodyOf, QueryOf } from '../platform/contract.ts';
import { DAY_MS, dayAt, formatDay } from '../platform/days.ts';
import type { Reader } from '../platform/db.ts';
import type { Hasher } from '../platform/secretCipher.ts';
import { readProduct } from '../products/product.ts';
import type { Renderer } from '../prompts/prompt.ts';
import type { LeadFacts, Settings } from './facts.ts';
import { previewText } from './previewText.ts';
import type { Reason } from './reason.ts';
import {
  applyProposal,
  compareRehearsals,
  loadRehearsalInput,
  type RehearsalInput,
  runRehearsal,
} from './rehearsal.ts';
import type {
  Consequences,
  RehearsedMessage,
  readConsequences,
  readRehearsal,
  Rehearsal as Shown,
} from './rehearsalContract.ts';
import type { RehearsalReply, RehearsalRequest } from './rehearsalThreadKind.ts';
import type { PlannedMessage, Rehearsal } from './rehearse.ts';
import { readCounters, readLeadNames } from './store/facts.ts';
import { readScheduledMessages } from './store/scheduledMessages.ts';

const iso = (ms: number) => new Date(ms).toISOString();

/** Compute the reply to a request. */
export async function computeRehearsal(
  { reader, hasher }: { readonly reader: Reader; readonly hasher: Hasher },
  request: RehearsalRequest,
): Promise<RehearsalReply> {
  const productId = request.kind === 'rehearsal' ? request.query.product_id : request.body.product_id;
  const input = await loadRehearsalInput({ reader, hasher }, productId);
  if (!input) return { kind: 'none' };
  if (request.kind === 'rehearsal')
    return { kind: 'rehearsal', body: await buildRehearsal(reader, input, request.query) };
  return { kind: 'consequences', body: await buildConsequences(reader, input, request.body) };
}

async function buildRehearsal(
  reader: Reader,
  input: RehearsalInput,
  query: QueryOf<typeof readRehearsal>,
): Promise<Shown> {
  const { zone } = input.settings;
  const rehearsal = runRehearsal(input, input.settings, query.days);
  const matching = rehearsal.messages.filter(
    (one) =>
      (query.day === undefined || formatDay(dayAt(zone, one.at)) === query.day) &&
      (query.kind === undefined || query.kind.includes(one.kind)) &&
      (query.lead_id === undefined || query.lead_id.includes(one.leadId)),
  );
  const { page, limit } = query;
  const messages = matching.slice((page - 1) * limit, page * limit);
  const to = input.from + query.days * DAY_MS;
  return {
    from: iso(input.from),
    to: iso(to),
    leads: input.leads.length,
    cut: input.cut,
    days: countByDay({ rehearsal, zone, from: input.from, to }),
    limits: rehearsal.limits.map(({ day, type }) => ({ day: formatDay(day), type })),
    silent: countSilentByReason(rehearsal),
    items: await buildItems({ reader, threads: null }, input, messages),
    total: matching.length,
    page,
    limit,
  };
}

async function buildConsequences(
  reader: Reader,
  input: RehearsalInput,
  body: BodyOf<typeof readConsequences>,
): Promise<Consequences> {
  const before = runRehearsal(input, input.settings, body.days);
  const settings = applyProposal(input.stored, body.proposal, input.from);
  // Another zone has other days: count the used quota again.
  const counters = body.proposal.timezone === undefined ? input.counters : await readCounters(reader, settings);
  const after = runRehearsal({ ...input, counters }, settings, body.days);
  return { ...compareRehearsals(before, after, input.from), timezone: settings.zone };
}

const zoneOf = (lead: LeadFacts, settings: Settings) => lead.zone ?? settings.hours?.zone ?? null;

function countByDay({ rehearsal, zone, from, to }: { rehearsal: Rehearsal; zone: string; from: number; to: number }) {
  const today = dayAt(zone, from);
  const days = Array.from({ length: dayAt(zone, to) - today + 1 }, (_none, index) => ({
    day: formatDay(today + index),
    first: 0,
    ping: 0,
    scheduled: 0,
    expired: 0,
  }));
  for (const one of rehearsal.messages) {
    const day = days[dayAt(zone, one.at) - today];
    if (day) day[one.kind]++;
  }
  for (const one of rehearsal.expired) {
    const day = days[dayAt(zone, one.at) - today];
    if (day) day.expired++;
  }
  return days;
}

/** Reasons that differ from lead to lead: by the other lead, the number, how many are ahead, or when its working hours open. */
const ONE_REASON: ReadonlySet<Reason['code']> = new Set([
  'line',
  'person_known',
  'invalid_address',
  'send_at',
  'send_at_closed',
  'hours',
]);

/** Count the leads that get no message by reason, the most frequent first. */
function countSilentByReason(rehearsal: Rehearsal): { why: Reason; leads: number }[] {
  const countByReason = new Map<string, { why: Reason; leads: number }>();
  for (const why of rehearsal.silent) {
    const key = ONE_REASON.has(why.code) ? why.code : 'step' in why ? `${why.code} ${why.step}` : JSON.stringify(why);
    const existing = countByReason.get(key);
    if (existing) existing.leads++;
    else countByReason.set(key, { why, leads: 1 });
  }
  return [...countByReason.values()].toSorted((a, b) => b.leads - a.leads).slice(0, 50);
}

async function buildItems(
  renderer: Renderer,
  input: RehearsalInput,
  messages: readonly PlannedMessage[],
): Promise<RehearsedMessage[]> {
  const { reader } = renderer;
  const product = await readProduct(reader, input.settings.productId);
  if (!product) return [];
  const names = await readLeadNames(reader, [...new Set(messages.map((one) => one.leadId))]);
  const leads = new Map(input.leads.map((lead) => [lead.id, lead]));
  const scheduledLeadIds = messages.filter((one) => one.kind === 'scheduled').map((one) => one.leadId);
  const waiting = await readScheduledMessages(reader, scheduledLeadIds);
  const arms = await armsOfFirsts(reader, product.id, messages);
  const items: RehearsedMessage[] = [];
  for (const one of messages) {
    const arm = one.kind === 'first' ? (arms.get(one.leadId) ?? null) : null;
    const lead = leads.get(one.leadId);
    items.push({
      lead_id: one.leadId,
      lead_name: names.get(one.leadId) ?? '',
      kind: one.kind,
      step: one.kind === 'ping' ? one.step : null,
      at: iso(one.at),
      zone: lead ? zoneOf(lead, input.settings) : null,
      channel:
        input.settings.links.find((link) => link.channelId === one.channelId)?.name ??
        (one.kind === 'scheduled' ? (waiting.get(one.leadId)?.channel ?? null) : null),
      why: one.reason,
      text: await previewOf(renderer, { input, product, one, waiting: waiting.get(one.leadId)?.text, arm }),
      arm: arm && arm.label,
    });
  }
  return items;
}

interface RehearsedArm {
  readonly label: NonNullable<RehearsedMessage['arm']>;
  readonly content: FrozenContent;
}

/** Return the arms that the first messages would be sent from, by lead. Those without one get what the product uses. */
async function armsOfFirsts(
  reader: Reader,
  productId: number,
  messages: readonly PlannedMessage[],
): Promise<ReadonlyMap<number, RehearsedArm>> {
  const experiment = (await findProductWithFirstTexts(reader, productId))?.experiment;
  if (!experiment) return new Map();
  const leadIds = messages.filter(({ kind }) => kind === 'first').map(({ leadId }) => leadId);
  const found = new Map<number, RehearsedArm>();
  for (const [leadId, { arm, content }] of await readArms(reader, experiment, leadIds)) {
    if (arm === null || content === null) continue;
    const name = experiment.arms[arm]?.name ?? '';
    found.set(leadId, { content, label: { experiment_id: experiment.id, experiment: experiment.name, arm, name } });
  }
  return found;
}

async function previewOf(
  renderer: Renderer,
  {
    input,
    product,
    one,
    waiting,
    arm,
  }: {
    input: RehearsalInput;
    product: NonNullable<Awaited<ReturnType<typeof readProduct>>>;
    one: PlannedMessage;
    waiting: string | undefined;
    arm: RehearsedArm | null;
  },
): Promise<RehearsedMessage['text']> {
  const { messaging_config: messagingConfig } = input.stored.config;
  const step = input.settings.pings?.steps[one.step - 1];
  if (one.kind === 'first' && messagingConfig)
    return previewText(renderer, {
      product,
      leadId: one.leadId,
      contactId: one.contactId,
      subject: arm ? { content: arm.content } : { messagingConfig },
    });
  if (one.kind === 'ping' && step)
    return previewText(renderer, { product, leadId: one.leadId, contactId: null, subject: { step } });
  return { kind: 'text', name: null, text: waiting ?? 'A message that waits in the dialogue' };
}
