import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { changeLeadStage } from '../leads/contract.ts';
import { hookUrl, postHook } from '../testing/messageRows.ts';
import { send } from '../testing/sampleRequests.ts';
import { createWorld, type World } from '../testing/world.ts';

const OPS = join(import.meta.dirname, '../../ops');
/** Maximum number of series of one metric; a histogram has one for each bucket. */
const MOST_SERIES = 900;

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const scrape = async (): Promise<string> => (await send(world.url, 'GET', '/metrics')).text;

interface Sample {
  readonly name: string;
  readonly labels: string;
  readonly value: number;
}

function samples(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^([a-z_:]\w*)(?:\{(.*)\})? (\S+)$/i.exec(line) ?? [];
      return { name, labels, value: Number(value) };
    });
}

/** Sum the series of a name whose labels include all of these. */
const valueOf = (text: string, name: string, ...labels: string[]): number =>
  samples(text)
    .filter((one) => one.name === name && labels.every((label) => one.labels.includes(label)))
    .reduce((sum, one) => sum + one.value, 0);

const declared = (text: string) =>
  [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));

describe('a conversation', () => {
  it('updates the counters as it happens', async () => {
    const before = await scrape();
    const anna = await world.lead('Anna', { stage: 'started' });
    await anna.writes('How long does delivery take?');
    await world.drain();
    const admin = await world.operator('root');
    const stream = new AbortController();
    await admin.fetch(`/v1/live?product_id=${world.productId}`, { signal: stream.signal });
    await admin.call(changeLeadStage, {
      params: { id: anna.leadId },
      query: { new_stage: 'pending', update_in_crm: false },
    });
    await postHook(`${world.url}/hooks/wazzup24/${'A'.repeat(43)}`, { test: true });
    await postHook(await hookUrl(world), { messages: [] });
    const after = await scrape();
    const moved = (name: string, ...labels: string[]) =>
      valueOf(after, name, ...labels) - valueOf(before, name, ...labels);
    expect({
      stored: moved('rapport_hooks_total', 'vendor="wazzup24"', 'outcome="stored"') > 0,
      unknown: moved('rapport_hooks_total', 'outcome="unknown"'),
      messages: moved('rapport_hook_items_total', 'kind="message"') > 0,
      received: moved('rapport_received_total', 'kind="message"') > 0,
      composed: moved('rapport_messages_queued_total', 'author="bot"'),
      sends: moved('rapport_sends_total', 'vendor="wazzup24"', 'outcome="accepted"'),
      sendSeconds: moved('rapport_send_seconds_count', 'outcome="accepted"'),
      // If `read` arrives first, `delivered` no longer changes anything.
      read: moved('rapport_vendor_statuses_total', 'status="read"'),
      models: moved('rapport_model_seconds_count', 'vendor="chatgpt"', 'outcome="answered"'),
      tokensIn: moved('rapport_model_tokens_total', 'direction="input"') > 0,
      tokensOut: moved('rapport_model_tokens_total', 'direction="output"') > 0,
      ongoing: moved('rapport_stage_changes_total', 'stage="ongoing"'),
      pending: moved('rapport_stage_changes_total', 'stage="pending"'),
      jobs: moved('rapport_jobs_total', 'task="reply"', 'outcome="done"') > 0,
      jobSeconds: moved('rapport_job_seconds_count', 'task="reply"') > 0,
      sweeps: moved('rapport_sweep_seconds_count', 'sweep="outbox"', 'outcome="done"') > 0,
      streams: moved('rapport_live_streams'),
    }).toEqual({
      stored: true,
      unknown: 1,
      messages: true,
      received: true,
      composed: 1,
      sends: 1,
      sendSeconds: 1,
      read: 1,
      models: 1,
      tokensIn: true,
      tokensOut: true,
      ongoing: 1,
      pending: 1,
      jobs: true,
      jobSeconds: true,
      sweeps: true,
      streams: 1,
    });
    stream.abort();
    await world.waitUntil(
      async () => valueOf(await scrape(), 'rapport_live_streams') === 0,
      'the stream is counted off',
    );
  });

  it('counts nothing when it is rolled back', async () => {
    const { app } = world;
    if (!app) throw new Error('no server');
    const { countAfterCommit: countAfter } = await import('../platform/afterCommit.ts');
    const counted = async () => valueOf(await scrape(), 'rapport_stage_changes_total', 'stage="failed"');
    const failing = app.context.transact(async (tx) => {
      countAfter(tx, 'stages', { stage: 'failed' });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await counted()).toBe(0);
    await app.context.transact(async (tx) => countAfter(tx, 'stages', { stage: 'failed' }));
    expect(await counted()).toBe(1);
  });
});

describe('figures from the database', () => {
  it('include queues, nodes, limits, channels, tables, connections and disk', async () => {
    const boris = await world.lead('Boris', { dialogue: true });
    await world.pool.query(
      `insert into messages (product_id, contact_id, dialogue_id, channel_id, message, side, author, status, reason)
       select product_id, contact_id, id, channel_id, 'x', 'bot', 'bot', 'unconfirmed', 'x' from dialogues where contact_id = $1`,
      [boris.contactId],
    );
    await world.pool.query(
      `update products set config = jsonb_set(config, '{messaging_config}', '{"whatsapp_daily_limit": 40, "tg_daily_limit": 2}') where id = $1`,
      [world.productId],
    );
    await world.pool.query(
      `insert into first_message_quota (product_id, channel_type, day, number, channel_id, message_id)
       values ($1, 'whatsapp', (now() at time zone 'UTC')::date, 1, $2, 1)`,
      [world.productId, world.whatsapp.id],
    );
    await world.pool.query("update channels set paused_until = now() + interval '1 hour' where id = $1", [
      world.telegram.id,
    ]);
    // Figures are read once in five seconds, so the previous ones come first.
    await world.waitUntil(
      async () => valueOf(await scrape(), 'rapport_messages_unconfirmed') === 1,
      'it is read again',
    );
    const text = await scrape();
    expect(valueOf(text, 'rapport_database_up')).toBe(1);
    expect(valueOf(text, 'rapport_nodes')).toBe(1);
    expect(valueOf(text, 'rapport_heartbeat_age_seconds')).toBeLessThan(600);
    expect(valueOf(text, 'rapport_first_messages_today', 'channel_type="whatsapp"')).toBe(1);
    expect(valueOf(text, 'rapport_first_messages_limit', 'channel_type="whatsapp"')).toBe(40);
    expect(valueOf(text, 'rapport_channels_blocked', 'reason="paused"')).toBe(1);
    expect(valueOf(text, 'rapport_table_bytes', 'table="messages"')).toBeGreaterThan(8000);
    expect(text).toMatch(/rapport_table_dead_rows\{table="messages"\} \d/);
    expect(valueOf(text, 'rapport_database_connections')).toBeGreaterThan(1);
    expect(valueOf(text, 'rapport_database_bytes')).toBeGreaterThan(1_000_000);
    expect(valueOf(text, 'rapport_pool_connections')).toBeGreaterThan(0);
    expect(valueOf(text, 'rapport_disk_free_bytes')).toBeGreaterThan(0);
    expect(text).toContain('rapport_build_info{version="');
    await world.pool.query("update products set config = jsonb_set(config, '{messaging_config}', 'null')");
    await world.pool.query('update channels set paused_until = null');
  });

  it('let a scrape be answered while the database does not answer, without invented figures', async () => {
    const database = new URL(world.databaseUrl).pathname.slice(1);
    const outside = new pg.Client({ connectionString: inject('testServer').adminUrl });
    await outside.connect();
    await outside.query(`alter database ${database} allow_connections false`);
    await outside.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
    await world.waitUntil(async () => valueOf(await scrape(), 'rapport_database_up') === 0, 'the scrape to notice');
    const text = await scrape();
    expect(samples(text).some((one) => one.name === 'rapport_messages_due')).toBe(false);
    expect(samples(text).some((one) => one.name === 'rapport_table_bytes')).toBe(false);
    expect(samples(text).some((one) => one.name === 'rapport_sends_total')).toBe(true);
    await outside.query(`alter database ${database} allow_connections true`);
    await outside.end();
    await world.waitUntil(async () => valueOf(await scrape(), 'rapport_database_up') === 1, 'the figures to be back');
  });
});

describe('names and labels', () => {
  it('follow the exposition format', async () => {
    const text = await scrape();
    const ours = declared(text).filter(({ name }) => name.startsWith('rapport_'));
    expect(ours.length).toBeGreaterThan(50);
    const wrong: string[] = [];
    for (const { name, type } of ours) {
      if (!/^rapport_[a-z][a-z0-9_]*$/.test(name)) wrong.push(`${name}: letters`);
      if ((type === 'counter') !== name.endsWith('_total')) wrong.push(`${name}: ${type}`);
      if (type === 'histogram' && !/_(seconds|bytes)$/.test(name)) wrong.push(`${name}: no unit`);
      if (/_(milliseconds|ms|minutes|kb|mb|count|sum|bucket)$/.test(name)) wrong.push(`${name}: no base unit`);
      if (!new RegExp(`^# HELP ${name} \\S`, 'm').test(text)) wrong.push(`${name}: no help`);
    }
    expect(wrong).toEqual([]);
  });

  it('are bounded: no metric grows with leads, messages or operators', async () => {
    const text = await scrape();
    const series = new Map<string, number>();
    for (const { name } of samples(text)) series.set(name, (series.get(name) ?? 0) + 1);
    expect([...series].filter(([, count]) => count > MOST_SERIES)).toEqual([]);
    const keys = new Set(samples(text).flatMap(({ labels }) => [...labels.matchAll(/(\w+)="/g)].map(([, key]) => key)));
    for (const key of ['lead', 'contact', 'dialogue', 'message', 'operator', 'login', 'product', 'company', 'url'])
      expect(keys.has(key), key).toBe(false);
    const newLeads = await Promise.all(['Clara', 'Dora', 'Elena'].map((name) => world.lead(name)));
    for (const one of newLeads) await one.writes('How long does delivery take?');
    await world.drain();
    const more = new Set(samples(await scrape()).map(({ name, labels }) => `${name}{${labels}}`));
    for (const one of samples(text)) more.delete(`${one.name}{${one.labels}}`);
    // New series are for a status or a task that had not occurred yet, never one per lead.
    for (const one of more) expect(one).not.toMatch(/7900\d{7}|Clara|Dora|Elena/);
  });
});

describe('dashboard and alerts', () => {
  const knownMetrics = async (): Promise<Set<string>> =>
    new Set(
      declared(await scrape()).flatMap(({ name, type }) =>
        type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
      ),
    );
  /** Find the names of metrics in an expression, without functions and labels. */
  const named = (expression: string): string[] =>
    [...expression.replace(/\{[^}]*\}/g, '').matchAll(/\b(?:rapport|process|nodejs)_\w+/g)].map(([name]) => name);

  const dashboard = z.object({
    uid: z.string(),
    title: z.string(),
    panels: z.array(
      z.object({
        id: z.int(),
        title: z.string().min(1),
        type: z.string(),
        gridPos: z.object({ x: z.int(), y: z.int(), w: z.int(), h: z.int() }),
        targets: z.array(z.object({ expr: z.string().min(1), refId: z.string() })).optional(),
      }),
    ),
  });

  it('refer only to metrics of a running server', async () => {
    const there = await knownMetrics();
    const board = dashboard.parse(JSON.parse(readFileSync(join(OPS, 'grafana/rapport.json'), 'utf8')));
    const ofBoard = board.panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => named(expr)));
    expect(ofBoard.length).toBeGreaterThan(30);
    const rules = readFileSync(join(OPS, 'prometheus/rules.yml'), 'utf8');
    const ofRules = [...rules.matchAll(/expr: (.*)/g)].flatMap(([, expr = '']) => named(expr));
    expect(ofRules.length).toBeGreaterThan(10);
    expect([...new Set([...ofBoard, ...ofRules])].filter((name) => !there.has(name))).toEqual([]);
  });

  it('give every panel its own place', () => {
    const { panels } = dashboard.parse(JSON.parse(readFileSync(join(OPS, 'grafana/rapport.json'), 'utf8')));
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { gridPos, title } of panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(x, title).toBeLessThan(24);
          expect(taken.has(`${x} ${y}`), title).toBe(false);
          taken.add(`${x} ${y}`);
        }
  });

  it('have a promtool test and an entry in the guide for each alert', () => {
    const tests = readFileSync(join(OPS, 'prometheus/rules.test.yml'), 'utf8');
    const rules = readFileSync(join(OPS, 'prometheus/rules.yml'), 'utf8');
    const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    expect(alerts.length).toBeGreaterThan(8);
    const guide = readFileSync(join(OPS, '../docs/guide/operations.md'), 'utf8');
    for (const alert of alerts) {
      expect(guide, alert).toContain(`### ${alert}`);
      expect(tests, alert).toContain(`alertname="${alert}"`);
      expect(rules, alert).toMatch(
        new RegExp(`alert: ${alert}[\\s\\S]*?runbook: docs/guide/operations\\.md#${alert.toLowerCase()}`),
      );
    }
  });
});
