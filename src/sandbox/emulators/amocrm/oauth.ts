/** OAuth of the emulated amoCRM: the consent page in both variants, and the token endpoint (fact sheet, 1 and 2). */
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { World } from '../world.ts';
import type { Client } from './changes.ts';
import { consentPage, plainPage } from './consent.ts';
import { amo } from './hooks.ts';
import { ACCOUNT } from './setup.ts';

const CODE_MS = 20 * 60 * 1000;

const consentRequestSchema = z.object({
  client_id: z.string().optional(),
  state: z.string().default(''),
  mode: z.string().default(''),
  origin: z.string().default(''),
  name: z.string().optional(),
  description: z.string().default(''),
  redirect_uri: z.string().optional(),
  secrets_uri: z.string().optional(),
});
export type ConsentRequest = z.infer<typeof consentRequestSchema>;

const decision = consentRequestSchema.extend({ decision: z.enum(['allow', 'deny']) });

export function oauthRoutes(app: FastifyInstance, world: World): void {
  const { state, journal } = world;

  for (const path of ['/oauth', '/oauth/']) {
    app.get(path, async (request, reply) => {
      const consent = consentRequestSchema.parse(request.query);
      const registered = consent.client_id === undefined ? null : (state.amocrm.clients.get(consent.client_id) ?? null);
      if (consent.client_id !== undefined && !registered)
        return page(reply, 404, plainPage('There is no such integration.'));
      if (!registered && (!consent.redirect_uri || !consent.secrets_uri || !consent.name))
        return page(reply, 400, plainPage('Name, redirect_uri and secrets_uri are required.'));
      return page(reply, 200, consentPage(consent, registered?.name ?? consent.name ?? ''));
    });
    app.post(path, async (request, reply) => decide(request, reply));
  }

  async function decide(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const consent = decision.parse(request.body);
    const registered = consent.client_id ? state.amocrm.clients.get(consent.client_id) : undefined;
    const landing = registered?.redirectUri ?? consent.redirect_uri ?? '';
    if (!URL.canParse(landing)) return page(reply, 400, plainPage('redirect_uri is not an address.'));
    const back = new URL(landing);
    if (consent.decision === 'deny') {
      back.search = new URLSearchParams({ error: 'access_denied', state: consent.state }).toString();
      return reply.redirect(back.href, 302);
    }
    const client = registered ?? makeExternal(consent);
    if (!registered) {
      const status = await postSecrets(consent.secrets_uri ?? '', client, consent.state);
      // Anything but exactly 200 is shown to the person, and the flow stops.
      if (status !== 200) return page(reply, 200, plainPage(`Code ${status ?? 'no answer'}`));
    }
    const code = randomBytes(48).toString('hex');
    journal.append(amo({ what: 'code', code, clientId: client.clientId, real: Date.now() }));
    back.search = new URLSearchParams({
      code,
      referer: request.headers.host ?? '',
      state: consent.state,
      platform: '1',
      client_id: client.clientId,
    }).toString();
    return reply.redirect(back.href, 302);
  }

  function makeExternal(consent: ConsentRequest): Client {
    const client: Client = {
      clientId: randomUUID(),
      secret: randomBytes(48).toString('base64url'),
      name: consent.name ?? '',
      redirectUri: consent.redirect_uri ?? '',
      external: true,
      // How the address is set for such integrations is not documented; here it is derived from the redirect address.
      disconnectUri: (consent.redirect_uri ?? '').replace(/callback$/, 'delete'),
    };
    journal.append(amo({ what: 'client', client }));
    return client;
  }

  app.post('/oauth2/access_token', async (request, reply) => {
    const occasion = { account: 'amocrm', text: 'POST /oauth2/access_token' };
    if (world.faults.take('amocrm.down', occasion)) return destroy(reply);
    const delay = world.faults.take('amocrm.delay', occasion);
    if (delay) await world.timers.pause(delay.ms ?? 1000);
    if (world.faults.take('amocrm.fail_before', occasion)) return reply.code(502).send('Bad gateway');
    const answer = grant(request.body);
    if (typeof answer === 'string') {
      journal.append(called('', 400));
      return problem(reply, answer);
    }
    journal.append(called(answer.clientId, 200));
    if (world.faults.take('amocrm.lose_answer', occasion)) return destroy(reply);
    return reply.send(answer.tokens);
  });

  const called = (clientId: string, status: number) =>
    amo({ what: 'called', clientId, method: 'POST', path: '/oauth2/access_token', status, real: Date.now() });

  /** Return the new pair of tokens, or the hint why there is none. */
  function grant(body: unknown): string | { clientId: string; tokens: object } {
    const input = z
      .object({
        client_id: z.string(),
        client_secret: z.string(),
        grant_type: z.enum(['authorization_code', 'refresh_token']),
        code: z.string().optional(),
        refresh_token: z.string().optional(),
        redirect_uri: z.string(),
      })
      .safeParse(body);
    if (!input.success) return 'Check the `grant_type` parameter';
    const { client_id: clientId, code, refresh_token: old } = input.data;
    const client = state.amocrm.clients.get(clientId);
    if (!client || client.secret !== input.data.client_secret) return 'Check the `client_id` parameter';
    if (client.redirectUri !== input.data.redirect_uri) return 'Check the `redirect_uri` parameter';
    if (input.data.grant_type === 'authorization_code') {
      const registered = state.amocrm.codes.get(code ?? '');
      if (!registered || registered.clientId !== clientId) return 'Cannot decrypt the authorization code';
      if (registered.spent) return 'Authorization code has been revoked';
      if (Date.now() - registered.real > CODE_MS) return 'Authorization code has expired';
    } else {
      if (state.amocrm.spentRefresh.has(old ?? '')) return 'Token has been revoked';
      if (state.amocrm.refresh.get(old ?? '') !== clientId)
        return state.amocrm.revoked.has(clientId) ? 'Token has been revoked' : 'Invalid refresh token';
      if (world.faults.take('amocrm.revoked', { account: 'amocrm' })) {
        journal.append(amo({ what: 'revoked', clientId }));
        return 'Token has been revoked';
      }
    }
    const access = `eyJ.${randomBytes(60).toString('base64url')}`;
    const refresh = `def${randomBytes(60).toString('hex')}`;
    const lifetimeSeconds = state.settings.amocrm.accessSeconds;
    const expires = Date.now() + lifetimeSeconds * 1000;
    journal.append(
      amo({
        what: 'tokens',
        clientId,
        access,
        refresh,
        expires,
        code: input.data.grant_type === 'authorization_code' ? (code ?? '') : null,
      }),
    );
    return {
      clientId,
      tokens: { token_type: 'Bearer', expires_in: lifetimeSeconds, access_token: access, refresh_token: refresh },
    };
  }
}

async function postSecrets(uri: string, client: Client, state: string): Promise<number | null> {
  try {
    const response = await fetch(uri, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: client.clientId, client_secret: client.secret, state, name: client.name }),
      redirect: 'manual',
      signal: AbortSignal.timeout(10_000),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
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
    signature: signatureOf(client.secret, clientId, ACCOUNT.id),
  }).toString();
  try {
    const response = await fetch(uri, { redirect: 'manual', signal: AbortSignal.timeout(10_000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}

function signatureOf(secret: string, clientId: string, accountId: number): string {
  return createHmac('sha256', secret).update(`${clientId}|${accountId}`).digest('hex');
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

function destroy(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.socket?.destroy();
  return reply;
}

const page = (reply: FastifyReply, status: number, html: string): FastifyReply =>
  reply.code(status).type('text/html; charset=utf-8').send(html);
