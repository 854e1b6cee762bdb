/**
 * The tokens of an account. Each refresh gives a new pair and ends the old one, so two at once would lose the account:
 * one refreshes, the others wait for what it brings. Claimed by a row and not by a lock, which would be held across a call.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { failpoint } from '../../platform/failpoint.ts';
import type { Ground } from '../../platform/ground.ts';
import { wasNotSent } from '../../platform/outbound.ts';
import { type Account, findAccount } from '../store/accounts.ts';
import { claimRefresh, needReconnect, releaseRefresh, savePair } from '../store/pairs.ts';
import { accountUrl } from './host.ts';
import { parseJson } from './json.ts';

const CALL_MS = 15_000;
const WAIT_MS = 50_000;

export const accessPlace = (id: number): string => `amocrm_accounts.access_token_sealed.${id}`;
export const refreshPlace = (id: number): string => `amocrm_accounts.refresh_token_sealed.${id}`;
export const clientPlace = (id: number): string => `amocrm_accounts.client_secret_sealed.${id}`;

const pairShape = z.object({
  access_token: z.string().min(1).max(20_000),
  refresh_token: z.string().min(1).max(20_000),
  expires_in: z.number().positive().max(10_000_000),
});
export type Pair = z.output<typeof pairShape>;
const problem = z.object({ hint: z.string().optional(), detail: z.string().optional(), title: z.string().optional() });

/** What the token endpoint answered. `unknown`: there was no answer, the pair may be spent or not. */
type Granted =
  | { readonly kind: 'pair'; readonly pair: Pair }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'away' | 'unknown'; readonly reason: string };

/** A token to call with, or why there is none. */
export type Token =
  | { readonly kind: 'token'; readonly token: string; readonly account: Account }
  | { readonly kind: 'reconnect'; readonly reason: string }
  | { readonly kind: 'away'; readonly reason: string };

/** The client's secret: the account's own, or the installation's. */
export function clientSecret(
  ground: Ground,
  account: Pick<Account, 'crm_integration_id' | 'client_secret_sealed' | 'client_id'>,
): string | null {
  if (account.client_secret_sealed !== null)
    return ground.seal.open(account.client_secret_sealed, clientPlace(account.crm_integration_id));
  const own = ground.config.amocrmClient;
  return own?.id === account.client_id ? own.secret : null;
}

/** Asks the token endpoint for a pair. `host` has to be an allowed one. */
export async function askForPair(
  ground: Ground,
  host: string,
  grant: Record<string, string> & { grant_type: 'authorization_code' | 'refresh_token' },
): Promise<Granted> {
  let answer: { status: number; text: string };
  try {
    answer = await ground.outbound.request(`${accountUrl(ground, host)}/oauth2/access_token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(grant),
      timeoutMs: CALL_MS,
    });
  } catch (error) {
    return wasNotSent(error)
      ? { kind: 'away', reason: 'amoCRM cannot be reached' }
      : { kind: 'unknown', reason: 'amoCRM did not answer' };
  }
  if (answer.status === 200) {
    const pair = pairShape.safeParse(parseJson(answer.text));
    return pair.success
      ? { kind: 'pair', pair: pair.data }
      : { kind: 'unknown', reason: "amoCRM's answer is unreadable" };
  }
  if (answer.status === 429 || answer.status >= 500)
    return { kind: 'away', reason: `amoCRM answered ${answer.status}` };
  const said = problem.safeParse(parseJson(answer.text));
  const hint = said.success ? (said.data.hint ?? said.data.detail ?? said.data.title) : undefined;
  return { kind: 'refused', reason: `amoCRM refuses the token: ${(hint ?? String(answer.status)).slice(0, 200)}` };
}

/**
 * The account's access token, refreshed ahead of its end. `refused` names the pair that a call was refused with: it is
 * replaced, unless somebody else has done so.
 */
export async function tokenOf(ground: Ground, integrationId: number, refused: number | null = null): Promise<Token> {
  const account = await findAccount(ground.reader, integrationId);
  const gone = unusable(account);
  if (gone || !account) return gone ?? { kind: 'reconnect', reason: 'This integration is not connected' };
  if (refused === account.pair || account.ends_soon) {
    const replaced = await replacePair(ground, account, refused === account.pair);
    if (replaced) return replaced;
    const fresh = await findAccount(ground.reader, integrationId);
    return unusable(fresh) ?? opened(ground, fresh);
  }
  return opened(ground, account);
}

/** Replaces the pair although nobody needs it yet, so that the refresh token never ends. */
export async function keepAlive(ground: Ground, account: Account): Promise<void> {
  if (account.idle) await replacePair(ground, account, false);
}

function unusable(account: Account | undefined): Token | null {
  if (account?.state === 'connected') return null;
  const reason = account?.state_reason ?? 'This integration is not connected';
  return { kind: 'reconnect', reason };
}

function opened(ground: Ground, account: Account | undefined): Token {
  if (!account || account.access_token_sealed === null)
    return { kind: 'reconnect', reason: 'This integration is not connected' };
  const token = ground.seal.open(account.access_token_sealed, accessPlace(account.crm_integration_id));
  return { kind: 'token', token, account };
}

/** Gives why there is no new pair; null: there is one, or the old one still serves. */
async function replacePair(ground: Ground, account: Account, isRefused: boolean): Promise<Token | null> {
  const { crm_integration_id: id, pair } = account;
  const end = performance.now() + WAIT_MS;
  while (!(await claimRefresh(ground.reader, id, pair, ground.life))) {
    const now = await findAccount(ground.reader, id);
    if (!now || now.state !== 'connected' || now.pair !== pair) return null;
    // Whoever is at it works ahead of the end: what there is still serves.
    if (!isRefused && !now.ended) return null;
    if (performance.now() > end) return { kind: 'away', reason: 'The token is being refreshed' };
    await pause(50);
  }
  const outcome = await refreshOnce(ground, account);
  ground.metrics.crmRefreshes.inc({ outcome: outcome.kind });
  if (outcome.kind === 'pair') {
    failpoint('crm.beforePairSaved');
    await savePair(ground.reader, id, pair, {
      accessSealed: ground.seal.close(outcome.pair.access_token, accessPlace(id)),
      refreshSealed: ground.seal.close(outcome.pair.refresh_token, refreshPlace(id)),
      expiresIn: outcome.pair.expires_in,
    });
    return null;
  }
  if (outcome.kind === 'refused') {
    await needReconnect(ground.reader, id, pair, outcome.reason);
    return { kind: 'reconnect', reason: outcome.reason };
  }
  await releaseRefresh(ground.reader, id, ground.life);
  return isRefused || account.ended ? { kind: 'away', reason: outcome.reason } : null;
}

/** After a lost answer the old token is tried once more: it may not be spent. */
async function refreshOnce(ground: Ground, account: Account): Promise<Granted> {
  const { crm_integration_id: id, refresh_token_sealed: sealed } = account;
  const secret = clientSecret(ground, account);
  if (secret === null || sealed === null)
    return { kind: 'refused', reason: 'The secret of the integration is not known here any more' };
  const grant = {
    client_id: account.client_id,
    client_secret: secret,
    grant_type: 'refresh_token',
    refresh_token: ground.seal.open(sealed, refreshPlace(id)),
    redirect_uri: account.redirect_uri,
  } as const;
  const first = await askForPair(ground, account.host, grant);
  return first.kind === 'unknown' ? askForPair(ground, account.host, grant) : first;
}
