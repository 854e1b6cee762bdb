/**
 * The tokens of an account. Each refresh returns a new pair and ends the old one, so two refreshes at once would lose
 * the account: one caller refreshes, the others wait for the result. The claim is a row and not a database lock, which
 * would be held during a call.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { AppContext } from '../../platform/appContext.ts';
import { failpoint } from '../../platform/failpoint.ts';
import { failureReason, wasNotSent } from '../../platform/outbound.ts';
import { type Account, findAccount } from '../store/accounts.ts';
import { claimRefresh, markReconnectNeeded, REFRESHED_ACCOUNTS, releaseRefresh, saveTokens } from '../store/tokens.ts';
import { accountUrl } from './host.ts';
import { parseJson } from './json.ts';

const CALL_MS = 15_000;
const WAIT_MS = 50_000;

export const accessTokenLocation = (id: number): string => `amocrm_accounts.access_token_sealed.${id}`;
export const refreshTokenLocation = (id: number): string => `amocrm_accounts.refresh_token_sealed.${id}`;
export const clientSecretLocation = (id: number): string => `amocrm_accounts.client_secret_sealed.${id}`;

const tokenPairShape = z.object({
  access_token: z.string().min(1).max(20_000),
  refresh_token: z.string().min(1).max(20_000),
  expires_in: z.number().positive().max(10_000_000),
});
export type TokenPair = z.output<typeof tokenPairShape>;
const problem = z.object({ hint: z.string().optional(), detail: z.string().optional(), title: z.string().optional() });

/** The answer of the token endpoint. `unknown`: there was no answer, so the pair may or may not be spent. */
type TokenResponse =
  | { readonly kind: 'pair'; readonly tokens: TokenPair }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'away' | 'unknown'; readonly reason: string };

/** A token to call with, or why there is none. */
export type Token =
  | { readonly kind: 'token'; readonly token: string; readonly account: Account }
  | { readonly kind: 'reconnect'; readonly reason: string }
  | { readonly kind: 'away'; readonly reason: string };

/** Return the client's secret: the account's own, or the installation's. */
export function clientSecret(
  context: AppContext,
  account: Pick<Account, 'crm_integration_id' | 'client_secret_sealed' | 'client_id'>,
): string | null {
  if (account.client_secret_sealed !== null)
    return context.cipher.decryptSecret(account.client_secret_sealed, clientSecretLocation(account.crm_integration_id));
  const installation = context.config.amocrmClient;
  return installation?.id === account.client_id ? installation.secret : null;
}

/** Request a pair from the token endpoint. `host` must be an allowed one. */
export async function requestTokens(
  context: AppContext,
  host: string,
  grant: Record<string, string> & { grant_type: 'authorization_code' | 'refresh_token' },
): Promise<TokenResponse> {
  let answer: { status: number; text: string };
  try {
    answer = await context.outbound.request(`${accountUrl(context, host)}/oauth2/access_token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(grant),
      timeoutMs: CALL_MS,
    });
  } catch (error) {
    return { kind: wasNotSent(error) ? 'away' : 'unknown', reason: failureReason(error) };
  }
  if (answer.status === 200) {
    const parsed = tokenPairShape.safeParse(parseJson(answer.text));
    return parsed.success
      ? { kind: 'pair', tokens: parsed.data }
      : { kind: 'unknown', reason: "amoCRM's answer is unreadable" };
  }
  if (answer.status === 429 || answer.status >= 500)
    return { kind: 'away', reason: `amoCRM answered ${answer.status}` };
  const parsed = problem.safeParse(parseJson(answer.text));
  const hint = parsed.success ? (parsed.data.hint ?? parsed.data.detail ?? parsed.data.title) : undefined;
  return { kind: 'refused', reason: `amoCRM refuses the token: ${(hint ?? String(answer.status)).slice(0, 200)}` };
}

/**
 * Return the account's access token, refreshed before it ends. `refusedVersion` names the pair that a call was refused
 * with: it is replaced, unless that has already happened.
 */
export async function getAccessToken(
  context: AppContext,
  integrationId: number,
  refusedVersion: number | null = null,
): Promise<Token> {
  const account = await findAccount(context.reader, integrationId);
  const failure = unusable(account);
  if (failure || !account) return failure ?? { kind: 'reconnect', reason: 'This integration is not connected' };
  if (refusedVersion === account.token_version || account.ends_soon) {
    const replaced = await refreshTokens(context, account, refusedVersion === account.token_version);
    if (replaced) return replaced;
    const fresh = await findAccount(context.reader, integrationId);
    return unusable(fresh) ?? decryptToken(context, fresh);
  }
  return decryptToken(context, account);
}

/** Replace a pair that is not used, so that the refresh token never ends. */
export async function refreshIfIdle(context: AppContext, account: Account): Promise<void> {
  if (account.idle) await refreshTokens(context, account, false);
}

function unusable(account: Account | undefined): Token | null {
  if (account?.state === 'connected') return null;
  const reason = account?.state_reason ?? 'This integration is not connected';
  return { kind: 'reconnect', reason };
}

function decryptToken(context: AppContext, account: Account | undefined): Token {
  if (!account || account.access_token_sealed === null)
    return { kind: 'reconnect', reason: 'This integration is not connected' };
  const token = context.cipher.decryptSecret(
    account.access_token_sealed,
    accessTokenLocation(account.crm_integration_id),
  );
  return { kind: 'token', token, account };
}

/** Refresh the tokens. Returns why there is no new pair; null if there is one, or the old one is still valid. */
async function refreshTokens(context: AppContext, account: Account, isRefused: boolean): Promise<Token | null> {
  const { crm_integration_id: id, token_version: tokenVersion } = account;
  const deadline = performance.now() + WAIT_MS;
  while (!(await claimRefresh(context.reader, { id, tokenVersion, claimant: context }))) {
    const current = await findAccount(context.reader, id);
    if (!current || current.state !== 'connected' || current.token_version !== tokenVersion) return null;
    // Another instance refreshes the pair before its end: the current token is still valid.
    if (!isRefused && !current.ended) return null;
    if (performance.now() > deadline) return { kind: 'away', reason: 'The token is being refreshed' };
    await pause(50);
  }
  const rows = [{ crm_integration_id: id }];
  const outcome = await context.claims.hold(REFRESHED_ACCOUNTS, rows, () => requestRefresh(context, account));
  context.metrics.crmRefreshes.inc({ outcome: outcome.kind });
  if (outcome.kind === 'pair') {
    failpoint('crm.beforePairSaved');
    await saveTokens(context.reader, {
      id,
      tokenVersion,
      tokens: {
        encryptedAccessToken: context.cipher.encryptSecret(outcome.tokens.access_token, accessTokenLocation(id)),
        encryptedRefreshToken: context.cipher.encryptSecret(outcome.tokens.refresh_token, refreshTokenLocation(id)),
        expiresIn: outcome.tokens.expires_in,
      },
    });
    return null;
  }
  if (outcome.kind === 'refused') {
    await markReconnectNeeded(context.reader, { id, tokenVersion, reason: outcome.reason });
    return { kind: 'reconnect', reason: outcome.reason };
  }
  await releaseRefresh(context.reader, id, context.instanceId);
  return isRefused || account.ended ? { kind: 'away', reason: outcome.reason } : null;
}

/** Refresh the tokens. After a lost answer, try the old refresh token once more: it may not be spent. */
async function requestRefresh(context: AppContext, account: Account): Promise<TokenResponse> {
  const { crm_integration_id: id, refresh_token_sealed: encryptedRefreshToken } = account;
  const secret = clientSecret(context, account);
  if (secret === null || encryptedRefreshToken === null)
    return { kind: 'refused', reason: 'The secret of the integration is no longer known' };
  const grant = {
    client_id: account.client_id,
    client_secret: secret,
    grant_type: 'refresh_token',
    refresh_token: context.cipher.decryptSecret(encryptedRefreshToken, refreshTokenLocation(id)),
    redirect_uri: account.redirect_uri,
  } as const;
  const first = await requestTokens(context, account.host, grant);
  return first.kind === 'unknown' ? requestTokens(context, account.host, grant) : first;
}
