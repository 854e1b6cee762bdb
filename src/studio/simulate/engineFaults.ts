/**
 * Checks what the engine did in a talk against the product's guarantees, by calculations that share nothing with it.
 * What is found here is a fault of ours, not of the prompt.
 */
import type { SentMessage, Talk } from './talk.ts';
import type { TalkWorld } from './talkWorld.ts';

/** Find broken guarantees, as sentences. */
export function findEngineFaults(talk: Talk, world: TalkWorld): string[] {
  return [
    ...talk.stuck.map(() => 'A message never left, although nothing held it back'),
    ...findRepeated(talk.sent),
    ...findAfterMute(talk),
    ...findOutsideHours(talk.sent, world),
    ...findWrongFollowUps(talk),
  ];
}

const describe = ({ origin, step }: SentMessage): string => {
  if (origin === 'first') return 'The first message';
  if (origin === 'hand_over') return 'The sentence of the hand-over';
  return step === null ? 'An answer' : `Follow-up ${step}`;
};

/** Messages that left twice, follow-ups sent twice for an anchor, turns with two answers, parts in the wrong order. */
function findRepeated(sent: readonly SentMessage[]): string[] {
  const faults: string[] = [];
  const seen = new Map<string, string | null>();
  for (const message of sent) {
    const { id, origin, step, anchor, replyOn, group } = message;
    const keys = [`message ${id}`];
    if (origin === 'first') keys.push('first');
    if (origin === 'ping') keys.push(`step ${step} after ${anchor}`);
    for (const key of keys) {
      if (seen.has(key)) faults.push(`${describe(message)} was sent twice`);
      seen.set(key, group);
    }
    if (replyOn === null || origin !== null || step !== null) continue;
    // Several parts of one answer share its group.
    const key = `answer to ${replyOn}`;
    if (seen.has(key) && (group === null || seen.get(key) !== group)) faults.push('A turn was answered twice');
    seen.set(key, group);
  }
  for (const [group, parts] of Map.groupBy(sent, (one) => one.group))
    if (group !== null && parts.some(({ id }, index) => index > 0 && id < (parts[index - 1]?.id ?? 0)))
      faults.push('The parts of a text left in the wrong order');
  return faults;
}

/** Messages of the bot after it was to be silent. Only the sentence of a hand-over may follow it. */
function findAfterMute({ sent, muted }: Talk): string[] {
  if (!muted) return [];
  const late = sent.filter(
    ({ at, origin }) => at > muted.from && !(origin === 'hand_over' && muted.by === 'handed_over'),
  );
  const since = {
    handed_over: 'the dialogue was handed over',
    qualified: 'the dialogue was handed over',
    opted_out: 'the lead had opted out',
    deactivated: 'the lead was deactivated',
  }[muted.by];
  return late.map((message) => `${describe(message)} was sent after ${since}`);
}

function findOutsideHours(sent: readonly SentMessage[], world: TalkWorld): string[] {
  const { schedule, reply_hours: replyHours } = world;
  if (!schedule) return [];
  return sent
    .filter(({ replyOn }) => replyHours === 'working' || replyOn === null)
    .filter(({ at }) => !isWorkingTime(schedule, at))
    .map((message) => `${describe(message)} was sent outside working hours`);
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** By the platform's own calendar. */
function isWorkingTime({ timezone, config }: NonNullable<TalkWorld['schedule']>, at: number): boolean {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const key = String(WEEKDAYS.indexOf(parts.get('weekday') ?? ''));
  const day = Object.entries(config.days).find(([name]) => name === key)?.[1];
  const time = `${parts.get('hour')}:${parts.get('minute')}`;
  return day !== undefined && day.is_working_day && time >= day.time_start && time < day.time_end;
}

/** Follow-ups while the lead waits for an answer. */
function findWrongFollowUps({ lines, sent }: Talk): string[] {
  return sent
    .filter(({ origin }) => origin === 'ping')
    .filter(({ at }) => lines.findLast((line) => line.at < at)?.side === 'user')
    .map((message) => `${describe(message)} was sent while the lead waited for an answer`);
}
