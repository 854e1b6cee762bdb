/**
 * Connect an account. The OAuth state is all that links the browser, amoCRM's post of secrets and the landing: 256
 * random bits, stored as a hash for half an hour, bound to session and company, valid for one post and one landing.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { AppContext } from '../platform/appContext.ts';
import { recordAuditEntry } from '../platform/audit.ts';
import { failpoint } from '../platform/failpoint.ts';
import { LOGO } from '../platform/http/files.ts';
import { fingerprint, ids } from '../platform/ids.ts';
import { failureReason } from '../platform/outbound.ts';
import { accountUrl, allowedHost } from './amocrm/host.ts';
import { parseJson } from './amocrm/json.ts';
import {
  accessTokenLocation,
  clientSecretLocation,
  refreshTokenLocation,
  requestTokens,
  type TokenPair,
} from './amocrm/tokens.ts';
import { hookSecretLocation, newHookSecret } from './hookAddress.ts';
import { findIntegrationOfAccount, insertIntegration, saveConnection } from './store/accounts.ts';
import { consumeState, findState, insertState, type OauthState, saveSecrets } from './store/oauthStates.ts';

const redirectUri = (context: AppContext): string => `${context.config.publicUrl}/v1/amocrm/oauth/callback`;
const stateSecretLocation = (hash: Buffer): string => `amocrm_states.client_secret_sealed.${hash.toString('hex')}`;

/** Start a connection and return the URL at amoCRM to go to. */
export async function startConnecting(context: AppContext, companyId: number, sessionToken: string): Promise<string> {
  const { config } = context;
  const state = ids.secret();
  const flow = config.amocrmClient ? 'ordinary' : 'external';
  await context.transact((tx) =>
    insertState(tx, { stateHash: fingerprint(state), sessionHash: fingerprint(sessionToken), companyId, flow }),
  );
  const url = new URL(`${config.vendorUrls.amocrm}/oauth`);
  if (config.amocrmClient) {
    url.search = new URLSearchParams({ client_id: config.amocrmClient.id, state, mode: 'popup' }).toString();
    return url.href;
  }
  // The same query as the vendor's own button builds.
  url.pathname = `${url.pathname}/`;
  url.search = new URLSearchParams([
    ['state', state],
    ['mode', 'popup'],
    ['origin', config.publicUrl],
    ['name', 'Rapport'],
    ['description', 'Sales conversations over WhatsApp and Telegram'],
    ['redirect_uri', redirectUri(context)],
    ['secrets_uri', `${config.publicUrl}/v1/amocrm/oauth/secrets`],
    ['logo', `${config.publicUrl}${LOGO}`],
    ['scopes[]', 'crm'],
    ['scopes[]', 'notifications'],
  ]).toString();
  return url.href;
}

/** Store what amoCRM posted; the first post of a state wins. Returns false if no connection waits for it. */
export function savePostedSecrets(
  context: AppContext,
  posted: { client_id: string; client_secret: string; state: string },
): Promise<boolean> {
  const hash = fingerprint(posted.state);
  const encryptedSecret = context.cipher.encryptSecret(posted.client_secret, stateSecretLocation(hash));
  return saveSecrets(context.reader, { stateHash: hash, clientId: posted.client_id, encryptedSecret });
}

/** How a landing ended. `sentence` is shown to the person. */
export interface ConnectResult {
  readonly ok: boolean;
  readonly sentence: string;
}

const failed = (sentence: string): ConnectResult => ({ ok: false, sentence });

const accountShape = z.object({
  id: z.number().int().positive(),
  name: z.string().catch(''),
  subdomain: z.string().catch(''),
});

/** How often to check whether the secrets have arrived, and the pause between checks in ms. */
const SECRET_CHECKS = 8;
const SECRET_CHECK_MS = 250;

/**
 * Complete a connection when the browser is back. Nothing is sent anywhere before the host, the state, its session and
 * its company are verified. Then the code is exchanged for tokens, the account is read, and the integration is saved.
 */
export async function completeConnecting(
  context: AppContext,
  callback: {
    code?: string | undefined;
    referer?: string | undefined;
    state?: string | undefined;
    error?: string | undefined;
  },
  caller: { token: string; id: number; login: string; canAccess: (companyId: number) => boolean; requestId: string },
): Promise<ConnectResult> {
  const stateHash = fingerprint(callback.state ?? '');
  const sessionHash = fingerprint(caller.token);
  let oauthState = await findState(context.reader, stateHash, sessionHash);
  if (!oauthState || !caller.canAccess(oauthState.company_id))
    return failed('This connection was not begun here, or it was begun too long ago. Begin again from Rapport.');
  if (callback.error !== undefined) {
    await consumeState(context.reader, stateHash, sessionHash);
    return failed('amoCRM was not allowed to connect. Nothing was changed.');
  }
  const host = allowedHost(context, callback.referer ?? '');
  if (host === null) return failed('amoCRM sent an address that is not its own. Nothing was changed.');
  if (!callback.code) return failed('amoCRM sent no code. Begin again from Rapport.');
  for (let attempt = 0; oauthState?.flow === 'external' && !oauthState.has_secrets; attempt++) {
    if (attempt === SECRET_CHECKS)
      return failed('amoCRM has not handed over the keys yet. Reload this page in a moment.');
    await pause(SECRET_CHECK_MS);
    oauthState = await findState(context.reader, stateHash, sessionHash);
  }
  if (!oauthState || !(await consumeState(context.reader, stateHash, sessionHash)))
    return failed('This connection was made already. Begin again from Rapport.');
  const client = findClient(context, oauthState, stateHash);
  if (!client) return failed('The keys of the integration are not known here. Begin again from Rapport.');
  const tokenResponse = await requestTokens(context, host, {
    client_id: client.id,
    client_secret: client.secret,
    grant_type: 'authorization_code',
    code: callback.code,
    redirect_uri: redirectUri(context),
  });
  if (tokenResponse.kind !== 'pair') return failed(`${tokenResponse.reason}. Begin again from Rapport.`);
  const read = await readAccountWith(context, host, tokenResponse.tokens);
  if (typeof read === 'string') return failed(`${read}. Begin again from Rapport.`);
  failpoint('crm.beforeConnectionSaved');
  await saveConnected(context, {
    state: oauthState,
    connection: { host, client, tokens: tokenResponse.tokens, account: read },
    caller,
  });
  return { ok: true, sentence: `${read.name || read.subdomain} is connected. This window may be closed.` };
}

interface Client {
  readonly id: string;
  readonly secret: string;
  readonly isOwn: boolean;
}

function findClient(context: AppContext, oauthState: OauthState, stateHash: Buffer): Client | null {
  const installation = context.config.amocrmClient;
  if (oauthState.flow === 'ordinary') return installation ? { ...installation, isOwn: false } : null;
  if (oauthState.client_id === null || oauthState.client_secret_sealed === null) return null;
  const secret = context.cipher.decryptSecret(oauthState.client_secret_sealed, stateSecretLocation(stateHash));
  return { id: oauthState.client_id, secret, isOwn: true };
}

/** Read the account; a text: why that failed. */
async function readAccountWith(
  context: AppContext,
  host: string,
  tokens: TokenPair,
): Promise<z.output<typeof accountShape> | string> {
  try {
    const answer = await context.outbound.request(`${accountUrl(context, host)}/api/v4/account`, {
      method: 'GET',
      headers: { authorization: `Bearer ${tokens.access_token}` },
      timeoutMs: 15_000,
    });
    const read = accountShape.safeParse(parseJson(answer.text));
    return answer.status === 200 && read.success ? read.data : 'amoCRM did not tell which account this is';
  } catch (error) {
    return failureReason(error);
  }
}

async function saveConnected(
  context: AppContext,
  {
    state: { company_id: companyId },
    connection,
    caller,
  }: {
    state: OauthState;
    connection: { host: string; client: Client; tokens: TokenPair; account: z.output<typeof accountShape> };
    caller: { id: number; login: string; requestId: string };
  },
): Promise<void> {
  const { cipher } = context;
  const { tokens, client, host } = connection;
  const name = (
    connection.account.name.trim() ||
    connection.account.subdomain ||
    `amoCRM ${connection.account.id}`
  ).slice(0, 300);
  const hook = newHookSecret();
  await context.transact(async (tx) => {
    const existingId = await findIntegrationOfAccount(tx, companyId, connection.account.id);
    const id = existingId ?? (await insertIntegration(tx, companyId, name));
    await saveConnection(tx, id, {
      accountId: connection.account.id,
      accountName: name,
      host,
      clientId: client.id,
      encryptedClientSecret: client.isOwn ? cipher.encryptSecret(client.secret, clientSecretLocation(id)) : null,
      redirectUri: redirectUri(context),
      encryptedAccessToken: cipher.encryptSecret(tokens.access_token, accessTokenLocation(id)),
      encryptedRefreshToken: cipher.encryptSecret(tokens.refresh_token, refreshTokenLocation(id)),
      expiresIn: tokens.expires_in,
      hookSecretHash: hook.hash,
      encryptedHookSecret: cipher.encryptSecret(hook.secret, hookSecretLocation(id)),
    });
    await recordAuditEntry(tx, {
      caller: { id: caller.id, login: caller.login },
      action: existingId === undefined ? 'connected' : 'reconnected',
      noun: 'crm_integration',
      rowId: id,
      companyId,
      after: { name, account_id: connection.account.id, host },
      requestId: caller.requestId,
    });
  });
}
