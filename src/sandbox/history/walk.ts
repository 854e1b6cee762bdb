/** Walks one lead through the funnel by the stated rates: its messages, events and runs. Pure, but for the random numbers. */
import type { ContactType, Stage } from '../../leads/contract.ts';
import { nextOpening, type Week } from '../../outreach/workingHours.ts';
import type { Instant } from '../demoLeads/timeline.ts';
import type { Random } from '../random.ts';
import { appliedAt, type Exposure, type SimulatedExperiment } from './experiment.ts';
import type { HistoryEvent, HistoryMessage, HistoryRun, LeadStory } from './leadStory.ts';
import type { Person } from './people.ts';
import * as rates from './rates.ts';
import { createTexts, type Texts } from './texts.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface WalkWorld {
  readonly random: Random;
  readonly now: Instant;
  /** Hours in which we write first, and people answer. */
  readonly hours: { readonly week: Week; readonly zone: string };
  /** The prompt's versions, the oldest first. */
  readonly versions: readonly { readonly version: number; readonly since: Instant }[];
  readonly experiments: { readonly firstText: SimulatedExperiment; readonly prompt: SimulatedExperiment };
}

interface LeadStart {
  readonly person: Person;
  readonly messenger: ContactType;
  readonly source: rates.Source;
  /** When the first message is sent, with its hour (9 to 18) and weekday (0 is Monday) on the product's clock. */
  readonly at: Instant;
  readonly hour: number;
  readonly weekday: number;
}

/** Everything that happens to a lead, in order of time. What would be later than now is left out. */
export function walkLead(world: WalkWorld, start: LeadStart): LeadStory {
  const walk = new Walk(world, start);
  const writesFirst = world.random.chance(rates.WRITES_FIRST);
  if (writesFirst ? walk.hearFirst() : walk.writeFirst() && walk.waitForAnswer()) walk.talk();
  return walk.story();
}

/** Thrown when the next thing would happen later than now. */
class NotYet extends Error {}

class Walk {
  private readonly messages: HistoryMessage[] = [];
  private readonly events: HistoryEvent[] = [];
  private readonly runs: HistoryRun[] = [];
  private readonly exposures: Exposure[] = [];
  private readonly texts: Texts;
  private readonly createdAt: Instant;
  private handOver: LeadStory['handOver'] = null;
  private text: rates.FirstText | null = null;
  /** The prompt's version of its arm. */
  private armVersion: number | null = null;
  private stage: Stage = 'initial';
  private hasOptedOut = false;
  private at: Instant;
  private readonly world: WalkWorld;
  private readonly start: LeadStart;

  constructor(world: WalkWorld, start: LeadStart) {
    this.world = world;
    this.start = start;
    this.texts = createTexts(world.random, start.person);
    this.at = start.at;
    this.createdAt = start.at - world.random.integer(2, 40) * HOUR;
  }

  story(): LeadStory {
    const { person, messenger, source } = this.start;
    const { createdAt, stage, hasOptedOut, messages, events, runs, handOver, text, exposures } = this;
    const common = { person, messenger, source, text, exposures, request: this.texts.request };
    return { ...common, createdAt, stage, hasOptedOut, messages, events, runs, handOver };
  }

  /** Have the lead write first. Returns whether it has written by now. */
  hearFirst(): boolean {
    return this.attempt(() => {
      this.say('opening');
      this.moveTo('ongoing', 'lead wrote');
    });
  }

  /** Send the first message. Returns whether it has been sent by now. */
  writeFirst(): boolean {
    return this.attempt(() => {
      this.reach();
      this.text = this.chooseFirst();
      this.write({ text: this.texts.first(this.text), origin: 'first' });
      this.moveTo('started', 'first message');
    });
  }

  private chooseFirst(): rates.FirstText {
    if (this.start.source.text === 'fair') return 'fair';
    const { random, hours, experiments } = this.world;
    // Leads are walked by the time of their first message.
    experiments.firstText.lookUntil(this.at);
    const exposure = this.expose(experiments.firstText.expose(this.at, random));
    if (exposure) return exposure.arm === 1 ? 'first' : 'former';
    return this.at >= (appliedAt(experiments.firstText, hours) ?? Number.POSITIVE_INFINITY) ? 'first' : 'former';
  }

  /** Assign the lead when the bot is about to answer it first, unless people have written to each other before. */
  private choosePrompt(): void {
    const { random, experiments } = this.world;
    if ((this.messages[0]?.at ?? 0) < experiments.prompt.startedAt) return;
    const exposure = this.expose(experiments.prompt.expose(this.at + 3 * SECOND, random));
    if (exposure && exposure.arm !== null) this.armVersion = rates.PROMPT_ARMS[exposure.arm] ?? null;
  }

  private expose(exposure: Exposure | null): Exposure | null {
    if (exposure) this.exposures.push(exposure);
    return exposure;
  }

  /** Wait for the lead's answer, with follow-ups. Returns whether it has answered by now. */
  waitForAnswer(): boolean {
    const { random } = this.world;
    const { source, messenger, hour, weekday } = this.start;
    const share =
      rates.ANSWERED_BY_TEXT[this.text ?? 'first'] *
      source.answered *
      rates.ANSWERED_BY_MESSENGER[messenger] *
      (rates.ANSWERED_BY_HOUR[hour - 9] ?? 1) *
      (rates.ANSWERED_BY_WEEKDAY[weekday] ?? 1);
    let isAnswered = random.chance(share);
    const isDone = this.attempt(() => {
      for (const [index, rate] of rates.FOLLOW_UPS.entries()) {
        if (isAnswered) break;
        this.at = this.open(this.at + rate.afterDays * DAY + random.integer(4, 90) * SECOND);
        this.reach();
        if (index === 1) this.run('ping');
        this.write({ text: this.texts.followUp(index + 1), origin: 'ping', step: index + 1 });
        if (random.chance(rate.optedOut)) return this.optOut();
        isAnswered = random.chance(rate.answered * source.answered);
      }
      if (!isAnswered) return this.expire();
      this.at = this.awake(this.at + this.spread(95 * MINUTE, 1.3));
      this.say(this.text === 'former' ? 'opening' : 'wall');
      this.moveTo('ongoing', 'lead wrote');
    });
    return isDone && this.stage === 'ongoing' && !this.hasOptedOut;
  }

  /** Talk with a lead who has written, to the end. */
  talk(): void {
    const { random } = this.world;
    this.attempt(() => {
      this.choosePrompt();
      this.answer('price');
      const rounds = random.integer(0, 3);
      for (let round = 0; round < rounds; round++) {
        this.at = this.awake(this.at + this.spread(12 * MINUTE, 1.1));
        this.say('question');
        this.answer('fact');
      }
      this.at = this.awake(this.at + this.spread(40 * MINUTE, 1.2));
      const version = this.version();
      const share = (rates.QUALIFIED_BY_VERSION[version] ?? 0.3) * this.model().qualified * this.start.source.qualified;
      if (random.chance(share)) this.qualify();
      else this.turnDown();
    });
  }

  private qualify(): void {
    const { random } = this.world;
    if (random.chance(rates.AGREES)) {
      this.say('agrees');
      this.handOverTo('agrees_to_buy');
      this.classify('success', 'The lead agreed to a measuring in its own words');
      this.personAnswers('deal');
      return;
    }
    this.say('later');
    this.answer('wait');
    this.classify('pending', 'The lead puts the decision off');
    if (random.chance(rates.AGREES_LATER)) {
      this.at = this.awake(this.at + random.integer(2, 9) * DAY);
      this.say('agrees');
      this.handOverTo('agrees_to_buy');
      this.classify('success', 'The lead agreed to a measuring in its own words');
      this.personAnswers('deal');
    } else this.expire();
  }

  private turnDown(): void {
    const { random } = this.world;
    const roll = random.next();
    const refused = rates.REFUSED * this.start.source.refused;
    if (roll < rates.OPTED_OUT) return this.optOut();
    if (roll < rates.OPTED_OUT + rates.WRONG_PERSON) {
      this.say('wrong');
      this.answer('bye');
      this.classify('failed', 'The person is not whom we meant to write to');
      return;
    }
    if (roll < rates.OPTED_OUT + rates.WRONG_PERSON + rates.ASKED_FOR_HUMAN) {
      this.say('human');
      this.handOverTo('asked_for_human');
      const operator = this.personAnswers('human');
      if (operator === null) return this.expire();
      this.at = this.open(this.at + random.integer(3, 50) * HOUR);
      this.reach();
      // Operators give no reason.
      this.moveTo(random.chance(0.45) ? 'success' : 'refused', operator);
      return;
    }
    if (!random.chance(Math.min(refused, 0.9))) return this.expire();
    const { key, reason } = this.refusal();
    this.say(key);
    this.answer('bye');
    this.classify('refused', reason);
  }

  private refusal() {
    let roll = this.world.random.next();
    for (const one of rates.REFUSALS) {
      roll -= one.share;
      if (roll < 0) return one;
    }
    return rates.REFUSALS[0];
  }

  private optOut(): void {
    this.at = this.awake(this.at + this.spread(25 * MINUTE, 1));
    this.say('optOut');
    if (this.stage === 'started') this.moveTo('ongoing', 'lead wrote');
    this.hasOptedOut = true;
    this.events.push({ at: this.at, type: 'deactivated', data: { by: 'lead' } });
  }

  private expire(): void {
    this.at += rates.EXPIRES_DAYS * DAY;
    this.reach();
    this.moveTo('ignore', `expired after ${rates.EXPIRES_DAYS * 24} hours of silence`);
  }

  private handOverTo(reason: 'agrees_to_buy' | 'asked_for_human'): void {
    this.at += this.world.random.integer(5, 11) * SECOND;
    this.run('chatbot');
    this.write({ text: this.texts.bot('handOver'), origin: 'hand_over' });
    this.handOver = { at: this.at, reason };
    this.events.push({ at: this.at, type: 'handed_over', data: { reason } });
  }

  /** Have a person answer after a hand-over, in working hours. Returns the login; null if nobody does. */
  private personAnswers(kind: 'deal' | 'human'): string | null {
    const { random } = this.world;
    if (random.chance(rates.NOBODY_ANSWERS)) return null;
    let roll = random.next();
    const person = rates.PEOPLE.find(({ share }) => (roll -= share) < 0) ?? rates.PEOPLE[0];
    const handedOverAt = this.handOver?.at ?? this.at;
    this.at = Math.max(this.at, this.open(handedOverAt)) + this.spread(person.median * MINUTE, person.spread);
    this.reach();
    this.write({ text: this.texts.operator(kind), author: 'operator', operator: person.login });
    return person.login;
  }

  private answer(kind: string): void {
    this.at += this.world.random.integer(6, 19) * SECOND;
    this.run('chatbot');
    this.write({ text: this.texts.bot(kind), version: this.version() });
  }

  private classify(stage: Stage, reason: string): void {
    this.at += 75 * SECOND;
    this.run('classification');
    this.moveTo(stage, 'classification', reason);
  }

  private say(kind: string): void {
    this.reach();
    this.push({ text: this.texts.lead(kind), author: 'lead', status: 'inbound' });
  }

  private write(message: Partial<HistoryMessage> & { readonly text: string }): void {
    const { random } = this.world;
    const status = !random.chance(rates.DELIVERED) ? 'sent' : random.chance(rates.READ) ? 'read' : 'delivered';
    this.push({ author: 'bot', status, ...message });
  }

  private push(message: Partial<HistoryMessage> & Pick<HistoryMessage, 'text' | 'author' | 'status'>): void {
    // Two messages of a dialogue have different times.
    this.at = Math.max(this.at, (this.messages.at(-1)?.at ?? 0) + SECOND);
    this.messages.push({ operator: null, origin: null, step: null, version: null, ...message, at: this.at });
  }

  private moveTo(to: Stage, by: string, reason?: string): void {
    const data = { from: this.stage, to, by, ...(reason === undefined ? {} : { reason }) };
    this.events.push({ at: this.at, type: 'stage_changed', data });
    this.stage = to;
  }

  private run(purpose: HistoryRun['purpose']): void {
    this.runs.push({ at: this.at, purpose, model: this.model() });
  }

  private model(): (typeof rates.MODELS)[number] {
    const daysAgo = (this.world.now - this.at) / DAY;
    return rates.MODELS.find(({ untilDaysAgo }) => daysAgo > untilDaysAgo) ?? rates.MODELS[0] ?? lacking();
  }

  private version(): number {
    return this.armVersion ?? this.world.versions.findLast(({ since }) => since <= this.at)?.version ?? 1;
  }

  /** Return a time around a median; nine of ten are within a few times of it. */
  private spread(median: number, sigma: number): number {
    const { random } = this.world;
    const normal = random.next() + random.next() + random.next() + random.next() - 2;
    return Math.round(median * Math.exp(normal * sigma * 1.7));
  }

  /** Return the time, or the next opening. */
  private open(at: Instant): Instant {
    const { week, zone } = this.world.hours;
    return nextOpening(week, zone, at) ?? at;
  }

  /** Leads sleep at night: what would be written then is written in the morning. */
  private awake(at: Instant): Instant {
    const hour = (Math.floor(at / HOUR) + 1) % 24;
    return hour >= 8 ? at : at + (8 - hour) * HOUR + this.world.random.integer(0, 50) * MINUTE;
  }

  /** What follows within a minute, such as an answer of the bot, is not asked again. */
  private reach(): void {
    // What happened in the last hours is told by the demo's own leads.
    if (this.at > this.world.now - 6 * HOUR) throw new NotYet();
  }

  private attempt(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (error instanceof NotYet) return false;
      throw error;
    }
  }
}

function lacking(): never {
  throw new Error('There is a model');
}
