/** OAuth of the emulated amoCRM: the consent page in both variants, and the token endpoint (fact sheet, 1 and 2). */
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { destroy, request as send } from '../http.ts';
import type { World } from '../world.ts';
import type { Client } from './changes.ts';
import { type ConsentRequest, consentPage, consentRequestSchema, plainPage } from './consent.ts';
import { amo } from './hooks.ts';
import { ACCOUNT } from './setup.ts';

const CODE_MS = 20 * 60 * 1000;
/** Lifetime of access tokens. */
const LIFETIME_SECONDS = 86_400;
const TIMEOUT_MS = 10_000;

const decision = consentRequestSchema.extend({ decision: z.enum(['allow', 'deny']) });

export function oauthRoutes(app: FastifyInstance, world: World): void {
  for (const path of ['/oauth', '/oauth/']) {
    app.get(path, async (request, reply) => {
      const consent = consentRequestSchema.parse(request.query);
      const registered = clientOf(world, consent);
      if (consent.client_id !== undefined && !registered)
        return page(reply, 404, plainPage('There is no such integration.'));
      if (!registered && (!consent.redirect_uri || !consent.secrets_uri || !consent.name))
        return page(reply, 400, plainPage('Name, redirect_uri and secrets_uri are required.'));
      return page(reply, 200, consentPage(consent, registered?.name ?? consent.name ?? ''));
    });
    app.post(path, async (request, reply) => decide(world, request, reply));
  }
  app.post('/oauth2/access_token', async (request, reply) => {
    const occasion = { account: 'amocrm', text: 'POST /oauth2/access_token' };
    if (world.faults.take('amocrm.down', occasion)) return destroy(reply);
    const delay = world.faults.take('amocrm.delay', occasion);
    if (delay) await world.timers.pause(delay.ms ?? 1000);
    if (world.faults.take('amocrm.fail_before', occasion)) return reply.code(502).send('Bad gateway');
    const answer = grant(world, request.body);
    const [clientId, status] = typeof answer === 'string' ? (['', 400] as const) : ([answer.clientId, 200] as const);
    const called = { what: 'called', clientId, method: 'POST', path: '/oauth2/access_token', status } as const;
    world.journal.append(amo({ ...called, real: Date.now() }));
    if (typeof answer === 'string') return problem(reply, answer);
    if (world.faults.take('amocrm.lose_answer', occasion)) return destroy(reply);
    return reply.send(answer.tokens);
  });
}

function clientOf(world: World, { client_id: id }: ConsentRequest): Client | undefined {
  return id === undefined ? undefined : world.state.amocrm.clients.get(id);
}

async function decide(world: World, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const consent = decision.parse(request.body);
  const registered = clientOf(world, consent);
  const landing = registered?.redirectUri ?? consent.redirect_uri ?? '';
  if (!URL.canParse(landing)) return page(reply, 400, plainPage('redirect_uri is not an address.'));
  const back = new URL(landing);
  if (consent.decision === 'deny') {
    back.search = new URLSearchParams({ error: 'access_denied', state: consent.state }).toString();
    return reply.redirect(back.href, 302);
  }
  const client = registered ?? makeExternal(world, consent);
  if (!registered) {
    const { clientId: client_id, secret: client_secret, name } = client;
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ client_id, client_secret, state: consent.state, name });
    const { status } = await send(consent.secrets_uri ?? '', { method: 'POST', headers, body }, TIMEOUT_MS);
    // Anything but exactly 200 is shown to the person, and the flow stops.
    if (status !== 200) return page(reply, 200, plainPage(`Code ${status ?? 'no answer'}`));
  }
  const code = randomBytes(48).toString('hex');
  world.journal.append(amo({ what: 'code', code, clientId: client.clientId, real: Date.now() }));
  back.search = new URLSearchParams({
    code,
    referer: request.headers.host ?? '',
    state: consent.state,
    platform: '1',
    client_id: client.clientId,
  }).toString();
  return reply.redirect(back.href, 302);
}

function makeExternal({ journal }: World, { name = '', redirect_uri: redirectUri = '' }: ConsentRequest): Client {
  const client: Client = {
    clientId: randomUUID(),
    secret: randomBytes(48).toString('base64url'),
    name,
    redirectUri,
    external: true,
    // How the address is set for such integrations is not documented; here it is derived from the redirect address.
    disconnectUri: redirectUri.replace(/callback$/, 'delete'),
  };
  journal.append(amo({ what: 'client', client }));
  return client;
}

const grantSchema = z.object({
  client_id: z.string(),
  client_secret: z.string(),
  grant_type: z.enum(['authorization_code', 'refresh_token']),
  code: z.string().default(''),
  refresh_token: z.string().default(''),
  redirect_uri: z.string(),
});

/** Return the new pair of tokens, or the hint why there is none. */
function grant(world: World, body: unknown): string | { clientId: string; tokens: object } {
  const input = grantSchema.safeParse(body);
  if (!input.success) return 'Check the `grant_type` parameter';
  const hint = invalidGrant(world, input.data);
  if (hint !== null) return hint;
  const { client_id: clientId, grant_type: type, code } = input.data;
  const access = `eyJ.${randomBytes(60).toString('base64url')}`;
  const refresh = `def${randomBytes(60).toString('hex')}`;
  const expires = Date.now() + LIFETIME_SECONDS * 1000;
  const spentCode = type === 'authorization_code' ? code : null;
  world.journal.append(amo({ what: 'tokens', clientId, access, refresh, expires, code: spentCode }));
  return {
    clientId,
    tokens: { token_type: 'Bearer', expires_in: LIFETIME_SECONDS, access_token: access, refresh_token: refresh },
  };
}

function invalidGrant(world: World, input: z.infer<typeof grantSchema>): string | null {
  const { client_id: clientId, code, refresh_token: refresh } = input;
  const { clients, codes, spentRefresh, refresh: valid, revoked } = world.state.amocrm;
  const client = clients.get(clientId);
  if (!client || client.secret !== input.client_secret) return 'Check the `client_id` parameter';
  if (client.redirectUri !== input.redirect_uri) return 'Check the `redirect_uri` parameter';
  if (input.grant_type === 'authorization_code') {
    const issued = codes.get(code);
    if (!issued || issued.clientId !== clientId) return 'Cannot decrypt the authorization code';
    if (issued.spent) return 'Authorization code has been revoked';
    return Date.now() - issued.real > CODE_MS ? 'Authorization code has expired' : null;
  }
  if (spentRefresh.has(refresh)) return 'Token has been revoked';
  if (valid.get(refresh) !== clientId)
    return revoked.has(clientId) ? 'Token has been revoked' : 'Invalid refresh token';
  return null;
}

/** Switch the integration off in amoCRM: end its tokens and notify it by a signed GET. */
export async function disconnect(world: World, clientId: string): Promise<number | null> {
  const client = world.state.amocrm.clients.get(clientId);
  if (!client) return null;
  world.journal.append(
    amo({ what: 'revoked', clientId }),
    ...[...world.state.amocrm.subscriptions.values()]
      .filter((one) => one.clientId === clientId)
      .map((one) => amo({ what: 'unsubscribed', destination: one.destination })),
  );
  const uri = new URL(client.disconnectUri);
  uri.search = new URLSearchParams({
    account_id: String(ACCOUNT.id),
    client_uuid: clientId,
    signature: createHmac('sha256', client.secret).update(`${clientId}|${ACCOUNT.id}`).digest('hex'),
  }).toString();
  return (await send(uri, {}, TIMEOUT_MS)).status;
}

function problem(reply: FastifyReply, hint: string): FastifyReply {
  return reply.code(400).type('application/problem+json').send({
    hint,
    title: 'Некорректный запрос',
    type: 'https://developers.amocrm.ru/v3/errors/OAuthProblemJson',
    status: 400,
    detail: hint,
  });
}

const page = (reply: FastifyReply, status: number, html: string): FastifyReply =>
  reply.code(status).type('text/html; charset=utf-8').send(html);
