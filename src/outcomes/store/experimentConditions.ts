/**
 * SQL of what an attempt has reached in an experiment. `t` is the row of the ledger, `x` its assignment, `e` the
 * experiment. A result is counted once the days are over, however early it was reached.
 */

/** The assignments that count. */
export const COUNTS = `x.lead_id = t.lead_id and x.attempt = t.attempt and x.arm is not null and x.excluded is null`;

/** The end of the days in which the metric may be reached: they begin with the first message that the arm may have shaped. */
const DEADLINE = `(greatest(x.assigned_at, t.started_at) + make_interval(days => e.days))`;

/** A stopped experiment counts what had been finished by then. */
export const IS_FINISHED = `${DEADLINE} <= coalesce(e.stopped_at, domain_now())`;

export const HAS_SUCCEEDED = `(${IS_FINISHED} and case e.metric
  when 'answered' then t.answered_at <= ${DEADLINE} when 'qualified' then t.qualified_at <= ${DEADLINE}
  else t.outcome = 'success' and t.ended_at <= ${DEADLINE} end is true)`;
