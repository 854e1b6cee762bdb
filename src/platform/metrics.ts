/**
 * Metrics measured as events happen. Labels have few values each, known beforehand: vendors, outcomes, names of tasks,
 * never a person or a row. Metrics that are read from the database on request are in `monitoring/gauges.ts`.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { CommitCounters } from './afterCommit.ts';
import { VERSION } from './version.ts';

export interface Metrics {
  readonly registry: Registry;
  readonly http: Histogram<'route' | 'method' | 'status'>;
  readonly jobs: Counter<'task' | 'outcome'>;
  readonly jobSeconds: Histogram<'task'>;
  readonly sweeps: Histogram<'sweep' | 'outcome'>;
  readonly keyedWork: Gauge;
  readonly hooks: Counter<'vendor' | 'outcome'>;
  readonly hookItems: Counter<'vendor' | 'kind'>;
  readonly sends: Counter<'vendor' | 'outcome'>;
  readonly sendSeconds: Histogram<'vendor' | 'outcome'>;
  readonly models: Histogram<'vendor' | 'outcome'>;
  readonly modelTokens: Counter<'vendor' | 'direction'>;
  readonly crmCalls: Histogram<'outcome'>;
  readonly crmRefreshes: Counter<'outcome'>;
  readonly streams: Gauge;
  readonly sockets: Gauge<'chat'>;
  readonly poolWaits: Histogram<'pool'>;
  /** Raise a counter on behalf of a committed transaction. */
  count<Name extends keyof CommitCounters>(name: Name, labels: CommitCounters[Name]): void;
  readonly refused: Counter<'class'>;
}

const QUICK = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];
const SLOW = [0.05, 0.25, 1, 3, 10, 30, 120];

interface HistogramOptions<Label extends string> {
  name: string;
  help: string;
  labelNames: Label[];
  buckets: number[];
}

/** Return functions that register a metric. */
const factoriesOf = (registers: Registry[]) => ({
  counter: <Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> =>
    new Counter({ name, help, labelNames, registers }),
  histogram: <Label extends string>(options: HistogramOptions<Label>): Histogram<Label> =>
    new Histogram({ ...options, registers }),
  gauge: <Label extends string>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> =>
    new Gauge({ name, help, labelNames, registers }),
});

/** Create the metrics. Each server has its own registry, so that several can run in one process. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  // How often they look at the event loop, in milliseconds: at their defaults of 10 and 100, an idle node would use more
  // of a core for it than for anything else.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100, eventLoopUtilizationTimeout: 1000 });
  const { counter, histogram, gauge } = factoriesOf([registry]);
  gauge('rapport_build_info', 'Always 1; the labels say what runs', ['version', 'node']).set(
    { version: VERSION, node: process.version },
    1,
  );
  const counted: { readonly [Name in keyof CommitCounters]: { inc(labels: CommitCounters[Name]): void } } = {
    stages: counter('rapport_stage_changes_total', 'Leads moved into a stage', ['stage']),
    received: counter('rapport_received_total', 'Items of vendors that were worked on', ['kind']),
    composed: counter('rapport_messages_queued_total', 'Messages put into the outbox, by author', ['author']),
    statuses: counter('rapport_vendor_statuses_total', "Vendors' statuses that changed a message", ['status']),
  };
  return {
    registry,
    http: histogram({
      name: 'rapport_http_seconds',
      help: 'Time to answer a request',
      labelNames: ['route', 'method', 'status'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    }),
    jobs: counter('rapport_jobs_total', 'Work of sweeps that ended', ['task', 'outcome']),
    jobSeconds: histogram({
      name: 'rapport_job_seconds',
      help: 'Time of such work, with what it waited for',
      labelNames: ['task'],
      buckets: SLOW,
    }),
    sweeps: histogram({
      name: 'rapport_sweep_seconds',
      help: 'Time of a sweep',
      labelNames: ['sweep', 'outcome'],
      buckets: QUICK,
    }),
    keyedWork: gauge(
      'rapport_keyed_work',
      'Work of sweeps that waits for a model or a messenger, or for its turn with one',
    ),
    hooks: counter('rapport_hooks_total', "Vendors' hooks by what became of them", ['vendor', 'outcome']),
    hookItems: counter('rapport_hook_items_total', 'New items from hooks', ['vendor', 'kind']),
    sends: counter('rapport_sends_total', 'Messages handed to a vendor', ['vendor', 'outcome']),
    sendSeconds: histogram({
      name: 'rapport_send_seconds',
      help: 'Time of handing a message over',
      labelNames: ['vendor', 'outcome'],
      buckets: SLOW,
    }),
    models: histogram({
      name: 'rapport_model_seconds',
      help: 'Time of a model call',
      labelNames: ['vendor', 'outcome'],
      buckets: [0.25, 1, 3, 10, 30, 120],
    }),
    modelTokens: counter('rapport_model_tokens_total', 'Tokens of models, as they count them', ['vendor', 'direction']),
    crmCalls: histogram({
      name: 'rapport_crm_call_seconds',
      help: 'Time of a call of the CRM',
      labelNames: ['outcome'],
      buckets: SLOW,
    }),
    crmRefreshes: counter('rapport_crm_refreshes_total', "Refreshes of the CRM's tokens", ['outcome']),
    refused: counter('rapport_refused_total', 'Requests refused for want of room', ['class']),
    streams: gauge('rapport_live_streams', 'Open live streams'),
    sockets: gauge('rapport_chat_sockets', 'Open chat sockets', ['chat']),
    poolWaits: histogram({
      name: 'rapport_pool_wait_seconds',
      help: 'Waiting for a connection to the database',
      labelNames: ['pool'],
      buckets: QUICK,
    }),
    count: (name, labels) => counted[name].inc(labels),
  };
}
