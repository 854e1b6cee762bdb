/** What a stolen backup reveals. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { companyLlms } from '../../llm/contract.ts';
import { createWorld, MODEL_KEY, PASSWORD, SECRET_KEY, WAZZUP_KEY } from '../../testing/world.ts';
import { writeBackup } from './backup.ts';

it('reveals no secret in a backup, readable by its owner only', async () => {
  const world = await createWorld();
  const folder = mkdtempSync(join(tmpdir(), 'rapport-stolen-'));
  try {
    const admin = await world.operator('root');
    const body = {
      company_id: world.companyId,
      vendor: 'anthropic' as const,
      credentials: { api_key: 'sk-ant-that-nobody-may-read' },
    };
    expect((await admin.call(companyLlms.create, { body })).status).toBe(201);
    const anna = await world.lead('Anna Backup');
    await anna.writes('How long does delivery take?');
    await world.drain();
    const file = join(folder, 'stolen.gz');
    await writeBackup(world.ownerUrl, file, SECRET_KEY);
    expect(statSync(file).mode & 0o077).toBe(0);
    const whole = gunzipSync(readFileSync(file)).toString();
    // The backup was written and could be read.
    expect(whole).toContain('Anna Backup');
    const cookie = admin.cookie.split('=')[1] ?? 'none';
    for (const secret of [MODEL_KEY, PASSWORD, SECRET_KEY, WAZZUP_KEY, cookie, body.credentials.api_key])
      for (const form of [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret).toString('base64').replace(/=+$/, ''),
        Buffer.from(secret).toString('base64url'),
      ])
        expect([secret, whole.includes(form)]).toEqual([secret, false]);
    world.canaries.scan('a backup', whole);
    expect(world.canaries.leaks()).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await world.close();
  }
});
