/** Inserts the simulated history of the demo's first product. The ledger counts it by the product's own triggers. */
import { sql } from 'kysely';
import { previewOf } from '../../engine/preview.ts';
import { normaliseAddress } from '../../leads/address.ts';
import { SIMULATED_TAG } from '../../outcomes/simulatedHistoryContract.ts';
import { toWeek } from '../../outreach/workingHours.ts';
import { dayAt, instantAt } from '../../platform/days.ts';
import type { Tx } from '../../platform/db.ts';
import { ids as uuids } from '../../platform/ids.ts';
import { COMPANY } from '../demoContent.ts';
import type { Instant } from '../demoLeads/timeline.ts';
import type { ProductRows } from '../demoProducts.ts';
import { insertRow, insertRows, iso, type Row, reserveIds } from '../demoTables.ts';
import { opaqueChatId } from '../emulators/addresses.ts';
import { createRandom, type Random } from '../random.ts';
import { type Exposure, SimulatedExperiment } from './experiment.ts';
import { insertExperiments } from './experimentRows.ts';
import type { LeadStory } from './leadStory.ts';
import { createPeople } from './people.ts';
import * as rates from './rates.ts';
import { type WalkWorld, walkLead } from './walk.ts';

const HOUR_MS = 3_600_000;
const TARGET_MS = 15 * 60_000;

/** Simulate the last 26 weeks of a product, and insert what happened. */
export async function insertHistory(tx: Tx, product: ProductRows, now: Instant): Promise<void> {
  const { stories, experiments, hours } = simulate(product, now);
  const imports = await insertImports(tx, product.id, stories);
  const leadIds = await insertStories(tx, { product, stories, imports });
  await insertExperiments(tx, { product, experiments, hours, stories, leadIds, now });
}

/** Return the stories of all leads, by the time of their first message, and the experiments among them. */
export function simulate({ content, prompt }: Pick<ProductRows, 'content' | 'prompt'>, now: Instant) {
  const random = createRandom(20_26);
  const nextPerson = createPeople(random);
  const experiments = {
    firstText: new SimulatedExperiment(rates.FIRST_TEXT_EXPERIMENT, now),
    prompt: new SimulatedExperiment(rates.PROMPT_EXPERIMENT, now),
  };
  const world: WalkWorld = {
    experiments,
    random,
    now,
    hours: { week: toWeek({ days: content.days }), zone: COMPANY.timezone },
    versions: prompt.versions,
  };
  const stories: LeadStory[] = [];
  const today = dayAt(COMPANY.timezone, now);
  for (let day = today - rates.WEEKS * 7; day <= today; day++) {
    const weekday = (day + 3) % 7;
    if (weekday === 6) continue;
    const midnight = instantAt(COMPANY.timezone, day);
    const starts = Array.from({ length: random.integer(rates.LEADS_A_DAY - 3, rates.LEADS_A_DAY + 3) }, () => {
      const hour = 9 + placeOf(random, rates.HOURS);
      return { hour, at: midnight + hour * HOUR_MS + random.integer(0, 3_590) * 1000 };
    });
    for (const { hour, at } of starts.toSorted((a, b) => a.at - b.at)) {
      const source =
        rates.SOURCES[
          placeOf(
            random,
            rates.SOURCES.map(({ share }) => share),
          )
        ] ?? rates.SOURCES[0];
      const person = nextPerson(random.chance(rates.RUSSIAN));
      const messenger = random.chance(rates.WHATSAPP) ? 'whatsapp' : 'telegram';
      const story = walkLead(world, { person, messenger, source, at, hour, weekday });
      if (story.messages.length > 0) stories.push(story);
      for (const exposure of story.exposures) exposure.experiment.count(exposure, factsOf(story, exposure));
    }
  }
  experiments.prompt.lookUntil(now);
  return { stories, experiments, hours: world.hours };
}

/** Return what the ledger counts of an exposed lead's attempt. */
function factsOf({ messages, events }: LeadStory, { experiment }: Exposure) {
  const movedTo = (...stages: string[]) => events.find(({ data }) => stages.includes(data['to'] ?? ''))?.at ?? null;
  const answeredAt = messages.find(({ author }) => author === 'lead')?.at ?? null;
  return {
    startedAt: messages[0]?.at ?? Number.POSITIVE_INFINITY,
    succeededAt: experiment.settings.metric === 'answered' ? answeredAt : movedTo('pending', 'success'),
    optedOutAt: events.find(({ type }) => type === 'deactivated')?.at ?? null,
    refusedAt: movedTo('refused'),
  };
}

/** Return a place in a list, each as often as its weight says. */
function placeOf(random: Random, weights: readonly number[]): number {
  let roll = random.next() * weights.reduce((sum, one) => sum + one, 0);
  return Math.max(
    0,
    weights.findIndex((weight) => (roll -= weight) < 0),
  );
}

async function insertImports(tx: Tx, productId: number, stories: readonly LeadStory[]): Promise<Map<string, number>> {
  const imports = new Map<string, number>();
  for (const { file } of rates.SOURCES) {
    if (file === null) continue;
    const own = stories.filter(({ source }) => source.file === file);
    const created_at = iso(Math.min(...own.map((one) => one.createdAt)));
    const row = { product_id: productId, import_key: uuids.next(), name: file, operator: COMPANY.colleagues[0] };
    imports.set(file, await insertRow(tx, 'lead_imports', { ...row, leads: own.length, created_at }));
  }
  return imports;
}

interface Placed {
  readonly story: LeadStory;
  readonly ids: { readonly lead: number; readonly contact: number; readonly dialogue: number };
  readonly address: string;
  readonly contact: string;
}

async function insertStories(
  tx: Tx,
  {
    product,
    stories,
    imports,
  }: {
    readonly product: ProductRows;
    readonly stories: readonly LeadStory[];
    readonly imports: ReadonlyMap<string, number>;
  },
): Promise<readonly number[]> {
  const leads = await reserveIds(tx, 'leads', stories.length);
  const contacts = await reserveIds(tx, 'contacts', stories.length);
  const dialogues = await reserveIds(tx, 'dialogues', stories.length);
  const placed = stories.map((story, index): Placed => {
    const contact = contactOf(story, index);
    const address = normaliseAddress(story.messenger, contact);
    if (address === null) throw new Error(`${contact} is no ${story.messenger} address`);
    const ids = { lead: leads[index] ?? 0, contact: contacts[index] ?? 0, dialogue: dialogues[index] ?? 0 };
    return { story, ids, address, contact };
  });
  const written = placed
    .flatMap((one) => one.story.messages.map((_message, place) => ({ one, place })))
    .toSorted((a, b) => (a.one.story.messages[a.place]?.at ?? 0) - (b.one.story.messages[b.place]?.at ?? 0));
  const reserved = await reserveIds(tx, 'messages', written.length);
  const messageIds = new Map(written.map(({ one, place }, index) => [one.story.messages[place], reserved[index] ?? 0]));
  await insertRows(
    tx,
    'leads',
    placed.map((one) => leadRow(one, product, imports)),
  );
  // Counted by the sweep of the ledger, like the history of an upgraded installation: the start does not wait for it.
  await sql`update outcomes set is_stale = true where lead_id = any(${leads}::bigint[])`.execute(tx);
  const common = (one: Placed) => ({ lead_id: one.ids.lead, product_id: product.id });
  const contactRow = (one: Placed): Row => {
    const { messenger: contact_type, createdAt } = one.story;
    const row = { ...common(one), id: one.ids.contact, contact: one.contact, contact_type, address: one.address };
    return { ...row, is_main: true, created_at: iso(createdAt) };
  };
  await insertRows(tx, 'contacts', placed.map(contactRow));
  await insertRows(
    tx,
    'dialogues',
    placed.map((one) => dialogueRow(one, product, messageIds)),
  );
  await insertRows(
    tx,
    'messages',
    written.map(({ one, place }) => messageRow({ one, place }, product, messageIds)),
  );
  const events = placed
    .flatMap((one) => one.story.events.map((event) => ({ one, event })))
    .toSorted((a, b) => a.event.at - b.event.at);
  await insertRows(
    tx,
    'lead_events',
    events.map(({ one, event: { at, type, data } }) => ({
      ...common(one),
      event_type: type,
      event_data: data,
      created_at: iso(at),
    })),
  );
  await insertRows(
    tx,
    'hand_overs',
    placed.flatMap((one) => handOverRows(one, product)),
  );
  await insertRuns(tx, placed, product);
  return leads;
}

/** Numbers that are given to nobody in Britain, and in Russia of a range without subscribers. */
function contactOf({ messenger, person }: LeadStory, index: number): string {
  if (messenger === 'telegram') return `@history_${String(index + 1).padStart(4, '0')}`;
  const digits = String(index).padStart(4, '0');
  return person.isRussian ? `+7 999 000-${digits.slice(0, 2)}-${digits.slice(2)}` : `+44 7700 98${digits}`;
}

function leadRow({ story, ids }: Placed, product: ProductRows, imports: ReadonlyMap<string, number>): Row {
  const last = story.events.at(-1)?.at ?? story.createdAt;
  return {
    id: ids.lead,
    product_id: product.id,
    name: story.person.name,
    stage: story.stage,
    created_at: iso(story.createdAt),
    updated_at: iso(last),
    crm_fields: { request: story.request },
    is_active: !story.hasOptedOut,
    recognized_deactivation_request: story.hasOptedOut,
    tags: [SIMULATED_TAG],
    import_id: (story.source.file !== null && imports.get(story.source.file)) || null,
  };
}

type MessageIds = ReadonlyMap<LeadStory['messages'][number] | undefined, number>;

/** The bot owns it: people have seen to what was handed over, and nothing waits in the inbox. */
function dialogueRow({ story, ids, address }: Placed, product: ProductRows, messageIds: MessageIds): Row {
  const { messages, messenger } = story;
  const ofLead = messages.findLast(({ author }) => author === 'lead');
  const ours = messages.findLast(({ author }) => author !== 'lead');
  const last = messages.at(-1);
  const turn = messages.filter(({ author }) => author === 'lead').length;
  const idOf = (one: typeof last) => messageIds.get(one) ?? null;
  return {
    id: ids.dialogue,
    product_id: product.id,
    contact_id: ids.contact,
    channel_id: product.channels[messenger],
    chat_id: messenger === 'whatsapp' ? address : opaqueChatId(address),
    address,
    turn,
    classified_turn: turn,
    last_user_msg_id: idOf(ofLead),
    last_user_msg_at: ofLead ? iso(ofLead.at) : null,
    last_bot_msg_id: idOf(ours),
    // Nothing more is sent to these leads: the follow-ups to come are those of the demo's own.
    skip_ping_for_msg_id: idOf(ours),
    last_msg_created_at: last ? iso(last.at) : null,
    last_message: last ? previewOf(last.text) : null,
    created_at: iso(messages[0]?.at ?? story.createdAt),
  };
}

function messageRow(
  { one: { story, ids }, place }: { readonly one: Placed; readonly place: number },
  product: ProductRows,
  messageIds: MessageIds,
): Row {
  const message = story.messages[place];
  if (!message) throw new Error('There is such a message');
  const { at, text, author, operator, origin, step, version, status } = message;
  const before = story.messages.slice(0, place);
  const asked = before.findLast((other) => other.author === 'lead');
  const isAnswer = version !== null || origin === 'hand_over';
  const model = version === null ? null : story.runs.findLast((run) => run.at <= at)?.model;
  const pinged = step === null ? undefined : product.outreach?.steps[step - 1];
  const isOurs = author !== 'lead';
  const hasArrived = status === 'delivered' || status === 'read';
  return {
    id: messageIds.get(message),
    product_id: product.id,
    contact_id: ids.contact,
    dialogue_id: ids.dialogue,
    channel_id: product.channels[story.messenger],
    message: text,
    kind: 'text',
    side: isOurs ? 'bot' : 'user',
    author,
    operator,
    status,
    created_at: iso(at),
    thread_at: iso(at),
    scheduled_at: isOurs ? iso(at) : null,
    sent_at: isOurs ? iso(at) : null,
    sent_confirmation_at: hasArrived ? iso(at + 2000) : null,
    read_at: status === 'read' ? iso(at + 3 * 60_000) : null,
    ext_id: uuids.next(),
    prompt_id: version === null ? (pinged?.prompt_id ?? null) : product.prompt.id,
    prompt_name: version === null ? null : product.prompt.name,
    prompt_version: version ?? (pinged?.prompt_id ? 1 : null),
    model_vendor: model?.vendor ?? null,
    model_name: model?.name ?? null,
    prepared_message_id: origin === 'first' ? preparedIdOf(story, product) : (pinged?.prepared_message_id ?? null),
    origin,
    ping_config_id: pinged ? product.outreach?.configId : null,
    ping_step_number: step,
    follow_up_anchor_id: pinged ? (messageIds.get(asked) ?? 0) : null,
    reply_on_msg_id: isAnswer ? (messageIds.get(asked) ?? null) : null,
    turn: isAnswer ? before.filter((other) => other.author === 'lead').length : null,
    attempts: Number(isOurs),
  };
}

function preparedIdOf({ text }: LeadStory, { outreach }: ProductRows): number | null {
  const ids = { former: outreach?.formerId, first: outreach?.firstId, fair: outreach?.spareId };
  return (text && ids[text]) ?? null;
}

function handOverRows({ story, ids }: Placed, product: ProductRows): Row[] {
  if (!story.handOver) return [];
  const { at, reason } = story.handOver;
  const { lead: lead_id, dialogue: dialogue_id } = ids;
  const turn = story.messages.filter((one) => one.author === 'lead' && one.at <= at).length;
  const row = { product_id: product.id, dialogue_id, lead_id, turn, reason, created_at: iso(at) };
  return [{ ...row, due_at: iso(at + TARGET_MS), summary_state: 'off', crm_state: 'none' }];
}

/** Insert the runs of models, at the prices of the installation. */
async function insertRuns(tx: Tx, placed: readonly Placed[], product: ProductRows): Promise<void> {
  const runs = placed
    .flatMap(({ story, ids }) => story.runs.map((run) => ({ ...run, ids })))
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, purpose, model, ids }) => ({
      at: iso(at),
      purpose,
      vendor: model.vendor,
      model: model.name,
      lead_id: ids.lead,
      dialogue_id: ids.dialogue,
      input: Math.round(model.input * (purpose === 'ping' ? 0.4 : 0.85 + ((at / 1000) % 30) / 100)),
      output: Math.round(model.output * (purpose === 'classification' ? 0.5 : 1)),
    }));
  await sql`
    insert into llm_runs (product_id, dialogue_id, lead_id, purpose, name, model_vendor, model_name, execution_ms,
                          token_input_usage, token_output_usage, metadata, created_at, cost)
    select ${product.id}, r.dialogue_id, r.lead_id, r.purpose, ${product.prompt.name}, r.vendor, r.model, 300 + r.output * 4,
           r.input, r.output, '{"finish": "stop", "system_fingerprint": "simulated"}', r.at,
           (r.input * p.input_per_million + r.output * p.output_per_million) / 1000000
      from jsonb_to_recordset(${JSON.stringify(runs)}::jsonb)
           as r (at timestamptz, purpose text, vendor text, model text, lead_id bigint, dialogue_id bigint, input int, output int)
      left join llm_prices p on p.vendor = r.vendor and p.model = r.model
     order by r.at`.execute(tx);
}
