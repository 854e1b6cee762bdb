/**
 * Compares a month in memory with the same month on the engine with a database: the same messages to the same leads,
 * by origin and step, at the same minutes. What differs by nature: the real engine takes a moment for each message and
 * its clock stops once a minute at most, and what follows counts from there; texts, and so the parts of an answer. No
 * vendor fails in a compared month: the pause before a retry runs on the real clock, and the domain clock jumps on
 * meanwhile. A message in the last minutes of working hours may go on the next day there, so its lead is compared up
 * to it.
 */
import { formatTime, MINUTE, type Row } from './simulation.ts';

/** How much later a message may be. */
const MAX_DELAY_MS = 10 * MINUTE;
/** Parts of one answer leave within this time. */
const ANSWER_MS = 5 * MINUTE;

interface ComparedMonth {
  readonly rows: readonly Row[];
  /** By lead, when a message of it could miss its working hours. */
  readonly lastMinutes: ReadonlyMap<number, number>;
}

/** Compare what was sent. Leads are compared in the order of their creation. */
export function compareMonths(memory: ComparedMonth, real: ComparedMonth) {
  const isCompared = ({ lead, at }: Row) => at < (memory.lastMinutes.get(lead) ?? Number.POSITIVE_INFINITY);
  const [expected, found] = [sentByName(memory.rows.filter(isCompared)), sentByName(real.rows.filter(isCompared))];
  const differences: string[] = [];
  let largest = 0;
  for (const [name, at] of expected) {
    const other = found.get(name);
    if (other === undefined) differences.push(`only in memory: ${name} at ${formatTime(at)}`);
    else if (Math.abs(other - at) > MAX_DELAY_MS)
      differences.push(`${name} at ${formatTime(at)} in memory, at ${formatTime(other)} with a database`);
    else largest = Math.max(largest, Math.abs(other - at));
  }
  for (const [name, at] of found)
    if (!expected.has(name)) differences.push(`only with a database: ${name} at ${formatTime(at)}`);
  return { compared: expected.size, leftOut: memory.lastMinutes.size, largestSeconds: largest / 1000, differences };
}

/** Return the time of each message by its lead, origin, step and number. */
function sentByName(rows: readonly Row[]): Map<string, number> {
  const sent = new Map<string, number>();
  const numbers = new Map<string, number>();
  const answered = new Map<number, number>();
  for (const { lead, origin, step, at } of rows) {
    // Later parts of a text are no messages of their own.
    if (origin === null && (step !== null || at - (answered.get(lead) ?? 0) < ANSWER_MS)) continue;
    if (origin === null) answered.set(lead, at);
    const kind = `${origin ?? 'answer'} ${step ?? 0} to lead ${lead}`;
    const number = (numbers.get(kind) ?? 0) + 1;
    numbers.set(kind, number);
    sent.set(`${kind}, number ${number}`, at);
  }
  return sent;
}
