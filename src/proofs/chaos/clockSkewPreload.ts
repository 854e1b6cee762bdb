/**
 * Preloaded into a process (`node --import`): skews its clock by RAPPORT_SKEW_MINUTES. Every query of the time of day
 * is skewed; timers are not, as they count from any instant. Child processes have a
 * correct clock again.
 */
import { Temporal } from 'temporal-polyfill';

const skewMs = Number(process.env['RAPPORT_SKEW_MINUTES'] ?? 0) * 60_000;
for (const name of ['RAPPORT_SKEW_MINUTES', 'NODE_OPTIONS']) delete process.env[name];

if (skewMs !== 0) {
  const TrueDate = Date;
  const wrongNow = () => TrueDate.now() + skewMs;
  const wrongInstant = () => Temporal.Instant.fromEpochMilliseconds(wrongNow());

  globalThis.Date = new Proxy(TrueDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [wrongNow()] : args, newTarget),
    apply: () => new TrueDate(wrongNow()).toString(),
    get: (target, name, receiver) => (name === 'now' ? wrongNow : Reflect.get(target, name, receiver)),
  });
  Object.defineProperties(Temporal.Now, {
    instant: { value: wrongInstant },
    zonedDateTimeISO: { value: (zone = 'UTC') => wrongInstant().toZonedDateTimeISO(zone) },
  });
}
