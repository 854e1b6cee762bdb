import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';

export interface Metrics {
  readonly registry: Registry;
  readonly http: Histogram<'route' | 'method' | 'status'>;
  readonly jobs: Counter<'task' | 'outcome'>;
  readonly lanes: Gauge;
  readonly sends: Counter<'vendor' | 'outcome'>;
  readonly models: Histogram<'vendor' | 'outcome'>;
  readonly streams: Gauge;
  readonly refused: Counter<'crowd'>;
}

/** One registry for each server, so that several can live in one process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    http: new Histogram({
      name: 'rapport_http_seconds',
      help: 'Time to answer a request',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    }),
    jobs: new Counter({ name: 'rapport_jobs_total', help: 'Jobs run', labelNames: ['task', 'outcome'], registers }),
    lanes: new Gauge({
      name: 'rapport_lanes',
      help: 'Work beside the jobs that waits for a model or a messenger, or for its turn with one',
      registers,
    }),
    sends: new Counter({
      name: 'rapport_sends_total',
      help: 'Messages handed to a vendor',
      labelNames: ['vendor', 'outcome'],
      registers,
    }),
    models: new Histogram({
      name: 'rapport_model_seconds',
      help: 'Time of a model call',
      labelNames: ['vendor', 'outcome'],
      buckets: [0.25, 1, 3, 10, 30, 120],
      registers,
    }),
    refused: new Counter({
      name: 'rapport_refused_total',
      help: 'Requests refused for want of room',
      labelNames: ['crowd'],
      registers,
    }),
    streams: new Gauge({ name: 'rapport_live_streams', help: 'Open live streams', registers }),
  };
}
