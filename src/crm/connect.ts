/**
 * Connecting an account. The state is the only thread between the browser, amoCRM's post of secrets and the landing: 256
 * random bits, kept as a hash for half an hour, bound to session and company, good for one post and one landing.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { recordDeed } from '../platform/audit.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Ground } from '../platform/ground.ts';
import { LOGO } from '../platform/http/files.ts';
import { fingerprint, ids } from '../platform/ids.ts';
import { accountUrl, allowedHost } from './amocrm/host.ts';
import { parseJson } from './amocrm/json.ts';
import { accessPlace, askForPair, clientPlace, type Pair, refreshPlace } from './amocrm/tokens.ts';
import { hookPlace, newHookSecret } from './hookAddress.ts';
import { findConnected, insertIntegration, saveConnection } from './store/accounts.ts';
import { type BegunState, findState, insertState, keepSecrets, landOnce } from './store/states.ts';

const redirectUri = (ground: Ground): string => `${ground.config.publicUrl}/v1/amocrm/oauth/callback`;
const statePlace = (hash: Buffer): string => `amocrm_states.client_secret_sealed.${hash.toString('hex')}`;

/** Begins a connection; gives the address at amoCRM to go to. */
export async function beginConnecting(ground: Ground, companyId: number, sessionToken: string): Promise<string> {
  const { config } = ground;
  const state = ids.secret();
  const flow = config.amocrmClient ? 'ordinary' : 'external';
  await ground.transact((tx) =>
    insertState(tx, { stateHash: fingerprint(state), sessionHash: fingerprint(sessionToken), companyId, flow }),
  );
  const url = new URL(`${config.vendorUrls.amocrm}/oauth`);
  if (config.amocrmClient) {
    url.search = new URLSearchParams({ client_id: config.amocrmClient.id, state, mode: 'popup' }).toString();
    return url.href;
  }
  // The query that the vendor's own button makes.
  url.pathname = `${url.pathname}/`;
  url.search = new URLSearchParams([
    ['state', state],
    ['mode', 'popup'],
    ['origin', config.publicUrl],
    ['name', 'Rapport'],
    ['description', 'Sales conversations over WhatsApp and Telegram'],
    ['redirect_uri', redirectUri(ground)],
    ['secrets_uri', `${config.publicUrl}/v1/amocrm/oauth/secrets`],
    ['logo', `${config.publicUrl}${LOGO}`],
    ['scopes[]', 'crm'],
    ['scopes[]', 'notifications'],
  ]).toString();
  return url.href;
}

/** Keeps what amoCRM posted; the first post of a state wins. False: nobody waits for it. */
export function keepPostedSecrets(
  ground: Ground,
  posted: { client_id: string; client_secret: string; state: string },
): Promise<boolean> {
  const hash = fingerprint(posted.state);
  const sealed = ground.seal.close(posted.client_secret, statePlace(hash));
  return keepSecrets(ground.reader, hash, posted.client_id, sealed);
}

/** How a landing ended; `sentence` is what the person reads. */
export interface Landing {
  readonly ok: boolean;
  readonly sentence: string;
}

const failed = (sentence: string): Landing => ({ ok: false, sentence });

const account = z.object({
  id: z.number().int().positive(),
  name: z.string().catch(''),
  subdomain: z.string().catch(''),
});

/** How often it is looked whether the secrets have come, and the pause between. */
const LOOKS = 8;
const LOOK_MS = 250;

/**
 * The browser is back. Nothing is sent anywhere before the host, the state, its session and its company are known to be
 * right; then the code is changed for tokens, the account is read, and the integration stands.
 */
export async function land(
  ground: Ground,
  landed: {
    code?: string | undefined;
    referer?: string | undefined;
    state?: string | undefined;
    error?: string | undefined;
  },
  who: { token: string; id: number; login: string; reaches: (companyId: number) => boolean; requestId: string },
): Promise<Landing> {
  const stateHash = fingerprint(landed.state ?? '');
  const sessionHash = fingerprint(who.token);
  let begun = await findState(ground.reader, stateHash, sessionHash);
  if (!begun || !who.reaches(begun.company_id))
    return failed('This connection was not begun here, or it was begun too long ago. Begin again from Rapport.');
  if (landed.error !== undefined) {
    await landOnce(ground.reader, stateHash, sessionHash);
    return failed('amoCRM was not allowed to connect. Nothing was changed.');
  }
  const host = allowedHost(ground, landed.referer ?? '');
  if (host === null) return failed('amoCRM sent an address that is not its own. Nothing was changed.');
  if (!landed.code) return failed('amoCRM sent no code. Begin again from Rapport.');
  for (let look = 0; begun?.flow === 'external' && !begun.has_secrets; look++) {
    if (look === LOOKS) return failed('amoCRM has not handed over the keys yet. Reload this page in a moment.');
    await pause(LOOK_MS);
    begun = await findState(ground.reader, stateHash, sessionHash);
  }
  if (!begun || !(await landOnce(ground.reader, stateHash, sessionHash)))
    return failed('This connection was made already. Begin again from Rapport.');
  const client = clientOf(ground, begun, stateHash);
  if (!client) return failed('The keys of the integration are not known here. Begin again from Rapport.');
  const granted = await askForPair(ground, host, {
    client_id: client.id,
    client_secret: client.secret,
    grant_type: 'authorization_code',
    code: landed.code,
    redirect_uri: redirectUri(ground),
  });
  if (granted.kind !== 'pair') return failed(`${granted.reason}. Begin again from Rapport.`);
  const read = await readAccountWith(ground, host, granted.pair);
  if (!read) return failed('amoCRM did not tell which account this is. Begin again from Rapport.');
  failpoint('crm.beforeConnectionSaved');
  await keep(ground, begun, { host, client, pair: granted.pair, account: read }, who);
  return { ok: true, sentence: `${read.name || read.subdomain} is connected. This window may be closed.` };
}

interface Client {
  readonly id: string;
  readonly secret: string;
  readonly isOwn: boolean;
}

function clientOf(ground: Ground, begun: BegunState, stateHash: Buffer): Client | null {
  const own = ground.config.amocrmClient;
  if (begun.flow === 'ordinary') return own ? { ...own, isOwn: false } : null;
  if (begun.client_id === null || begun.client_secret_sealed === null) return null;
  const secret = ground.seal.open(begun.client_secret_sealed, statePlace(stateHash));
  return { id: begun.client_id, secret, isOwn: true };
}

async function readAccountWith(ground: Ground, host: string, pair: Pair): Promise<z.output<typeof account> | null> {
  try {
    const answer = await ground.outbound.request(`${accountUrl(ground, host)}/api/v4/account`, {
      method: 'GET',
      headers: { authorization: `Bearer ${pair.access_token}` },
      timeoutMs: 15_000,
    });
    const read = account.safeParse(parseJson(answer.text));
    return answer.status === 200 && read.success ? read.data : null;
  } catch {
    return null;
  }
}

async function keep(
  ground: Ground,
  { company_id: companyId }: BegunState,
  made: { host: string; client: Client; pair: Pair; account: z.output<typeof account> },
  who: { id: number; login: string; requestId: string },
): Promise<void> {
  const { seal } = ground;
  const { pair, client, host } = made;
  const name = (made.account.name.trim() || made.account.subdomain || `amoCRM ${made.account.id}`).slice(0, 300);
  const hook = newHookSecret();
  await ground.transact(async (tx) => {
    const known = await findConnected(tx, companyId, made.account.id);
    const id = known ?? (await insertIntegration(tx, companyId, name));
    await saveConnection(tx, id, {
      accountId: made.account.id,
      accountName: name,
      host,
      clientId: client.id,
      clientSecretSealed: client.isOwn ? seal.close(client.secret, clientPlace(id)) : null,
      redirectUri: redirectUri(ground),
      accessSealed: seal.close(pair.access_token, accessPlace(id)),
      refreshSealed: seal.close(pair.refresh_token, refreshPlace(id)),
      expiresIn: pair.expires_in,
      hookSecretHash: hook.hash,
      hookSecretSealed: seal.close(hook.secret, hookPlace(id)),
    });
    await recordDeed(tx, {
      caller: { id: who.id, login: who.login },
      action: known === undefined ? 'connected' : 'reconnected',
      noun: 'crm_integration',
      rowId: id,
      companyId,
      after: { name, account_id: made.account.id, host },
      requestId: who.requestId,
    });
  });
}
