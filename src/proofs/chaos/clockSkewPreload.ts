/**
 * Preloaded into a process (`node --import`): its clock goes wrong by RAPPORT_SKEW_MINUTES. Whatever asks the node for
 * the time of day is answered wrongly; timers, which count on from any instant, are not. With libfaketime the system
 * does that, and there is nothing left to bend here. Processes that it starts have a right clock again.
 */
import { Temporal } from 'temporal-polyfill';

const skewMs = Number(process.env['RAPPORT_SKEW_MINUTES'] ?? 0) * 60_000;
for (const name of ['RAPPORT_SKEW_MINUTES', 'NODE_OPTIONS', 'LD_PRELOAD', 'FAKETIME']) delete process.env[name];

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
