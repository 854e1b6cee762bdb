/** Contract of amoCRM: connecting, the state of a connection, its directory of names, and actions in it. */
import { z } from 'zod';
import { lead, stages } from '../leads/contract.ts';
import { endpoint, errorReply, instant, name, nameShape, reference, uncheckedId } from '../platform/contract.ts';
import type { RefusalKinds } from '../platform/refuse.ts';

/** The channel on which the landing page tells the console how connecting ended; also the message's type. */
export const CONNECTED_CHANNEL = 'rapport.amocrm';

const companyQuery = z.strictObject({ company_id: reference('company') });

export const getRedirect = endpoint({
  operation: 'getAmocrmRedirect',
  method: 'GET',
  path: '/v1/amocrm/oauth/get_redirect',
  access: 'session',
  summary: 'The address at amoCRM where a company connects its account',
  query: companyQuery,
  replies: { 200: z.object({ url: z.string() }), 404: errorReply },
});

export const startOauth = endpoint({
  operation: 'startAmocrmOauth',
  method: 'GET',
  path: '/v1/amocrm/oauth/start',
  access: 'session',
  summary: 'Goes to amoCRM to connect a company’s account',
  query: companyQuery,
  replies: { 302: z.null(), 404: errorReply },
});

/** What amoCRM posts for an integration it has just created; other fields are ignored. */
export const receiveSecrets = endpoint({
  operation: 'receiveAmocrmSecrets',
  method: 'POST',
  path: '/v1/amocrm/oauth/secrets',
  access: 'hook',
  load: 'public',
  summary: 'amoCRM sends the secrets of an integration that it created',
  body: z.object({
    client_id: z.string().min(1).max(200),
    client_secret: z.string().min(1).max(1000),
    state: z.string().min(1).max(200),
  }),
  replies: { 200: z.null(), 404: errorReply },
  loose: true,
  limit: 64 * 1024,
});

export const completeOauth = endpoint({
  operation: 'completeAmocrmOauth',
  method: 'GET',
  path: '/v1/amocrm/oauth/callback',
  access: 'public',
  load: 'public',
  summary: 'Where amoCRM sends the browser back',
  query: z.object({
    code: z.string().max(4000).optional(),
    referer: z.string().max(300).optional(),
    state: z.string().max(200).optional(),
    error: z.string().max(200).optional(),
    from_widget: z.string().max(20).optional(),
  }),
  media: 'text/html',
  replies: { 200: z.string(), 400: z.string() },
  loose: true,
});

export const receiveDisconnect = endpoint({
  operation: 'receiveAmocrmDisconnect',
  method: 'GET',
  path: '/v1/amocrm/oauth/delete',
  access: 'public',
  load: 'public',
  summary: 'amoCRM says that an account has switched the integration off',
  query: z.object({
    account_id: z.string().max(30).optional(),
    signature: z.string().max(200).optional(),
    client_uuid: z.string().max(200).optional(),
    client_id: z.string().max(200).optional(),
  }),
  replies: { 200: z.null(), 404: errorReply },
  loose: true,
});

export const amocrmHook = endpoint({
  operation: 'receiveAmocrmWebhook',
  method: 'POST',
  path: '/hooks/amocrm/{secret}',
  access: 'hook',
  load: 'hook',
  summary: 'amoCRM reports changed cards',
  params: z.strictObject({ secret: z.string().min(1).max(100) }),
  body: z.unknown(),
  replies: { 200: z.null(), 404: errorReply },
  loose: true,
});

const integrationParams = z.strictObject({ id: reference('crm_integration') });

export const connectionStates = ['connected', 'reconnect', 'disconnected', 'never'] as const;

export const integrationState = z.object({
  integration_id: z.int(),
  /** `reconnect`: the keys are no longer accepted; `never`: there was no connection yet. */
  state: z.enum(connectionStates),
  reason: z.string().nullable(),
  since: instant.nullable(),
  account_id: z.int().nullable(),
  account_name: z.string().nullable(),
  host: z.string().nullable(),
  /** When the keys end unless they are replaced before, which happens each month; null if there are none. */
  keys_until: instant.nullable(),
  /** Whether amoCRM notifies us of changes; if `unavailable`, we poll every few minutes instead. */
  hooks: z.enum(['unknown', 'subscribed', 'unavailable']),
  hooks_reason: z.string().nullable(),
  last_sync_at: instant.nullable(),
  /** Counts of the last sync: read, imported, known, forgotten, unreachable, moved, unmapped, deleted, skipped. */
  last_sync: z.record(z.string(), z.number()),
  last_error: z.string().nullable(),
  last_error_at: instant.nullable(),
  /** Number of leads that have a card. */
  cards: z.int(),
  /** Cards to read again, stages to be written, and writes that amoCRM refused, with one reason. */
  to_read: z.int(),
  to_write: z.int(),
  refused: z.int(),
  refusal: z.string().nullable(),
});
export type IntegrationState = z.output<typeof integrationState>;
nameShape('CrmIntegrationState', integrationState);

export const readIntegrationState = endpoint({
  operation: 'getCrmIntegrationState',
  method: 'GET',
  path: '/v1/crm-integrations/{id}/state',
  access: 'session',
  summary: 'Whether an integration is connected, and what its last sync brought',
  params: integrationParams,
  replies: { 200: integrationState, 404: errorReply },
});

export const syncIntegration = endpoint({
  operation: 'syncCrmIntegration',
  method: 'POST',
  path: '/v1/crm-integrations/{id}/sync',
  access: 'session',
  summary: 'Sync the account now; refused writes and what was skipped are tried again',
  params: integrationParams,
  replies: { 200: integrationState, 404: errorReply, 409: errorReply },
});

export const skippedEntities = ['card', 'contact', 'pipeline', 'step', 'field', 'address'] as const;
export type SkippedEntity = (typeof skippedEntities)[number];

const skippedItem = z.object({
  /** What was left out; `address`: phones or usernames of a card that are refused, though its lead was imported. */
  entity: z.enum(skippedEntities),
  /** amoCRM's id; empty if it had none that is readable. Of an address: its card's. */
  entity_id: z.string(),
  reason: z.string(),
  /** How often it was left out. */
  times: z.int(),
  first_at: instant,
  last_at: instant,
  /** The lead of a refused address. */
  lead_id: z.int().nullable(),
  product_id: z.int().nullable(),
  /** Its page in amoCRM; null if there is none. */
  url: z.string().nullable(),
});
export type SkippedItem = z.output<typeof skippedItem>;
nameShape('CrmSkippedItem', skippedItem);

export const skippedItems = z.object({
  counts: z.partialRecord(z.enum(skippedEntities), z.int()),
  /** The newest 100. */
  items: z.array(skippedItem),
});
nameShape('CrmSkippedItems', skippedItems);

export const readSkippedItems = endpoint({
  operation: 'getCrmSkippedItems',
  method: 'GET',
  path: '/v1/crm-integrations/{id}/skipped',
  access: 'session',
  summary: 'What of an account was not imported, and why; syncing the account tries it again',
  params: integrationParams,
  replies: { 200: skippedItems, 404: errorReply },
});

export const disconnectIntegration = endpoint({
  operation: 'disconnectCrmIntegration',
  method: 'POST',
  path: '/v1/crm-integrations/{id}/disconnect',
  access: 'session',
  summary: 'Drop the keys to the account; leads, cards and settings stay',
  load: 'outside',
  slowReason: 'Waits for amoCRM, at its pace.',
  params: integrationParams,
  replies: { 200: integrationState, 404: errorReply, 409: errorReply },
});

export const leadCard = z.object({
  /** Null if the lead has no card. */
  card: z
    .object({
      id: z.int(),
      integration_id: z.int(),
      /** URL of the card in amoCRM. */
      url: z.string(),
      /** Its position when last read; null if the card is gone, or the names are not known. */
      pipeline: z.string().nullable(),
      step: z.string().nullable(),
      read_at: instant.nullable(),
      /** The pending stage, still to be written to the card; null if none. */
      wish: z.enum(stages).nullable(),
      /** Why the last attempt to write failed. */
      error: z.string().nullable(),
      /** What happened to the card, such as its deletion in the CRM, or which addresses of it were refused. */
      note: z.string().nullable(),
    })
    .nullable(),
});
nameShape('LeadCrmCard', leadCard);

export const readLeadCard = endpoint({
  operation: 'getLeadCrmCard',
  method: 'GET',
  path: '/v1/leads/{id}/crm-card',
  access: 'session',
  summary: 'The card of a lead in the CRM, and what is still to be written to it',
  params: z.strictObject({ id: reference('lead') }),
  replies: { 200: leadCard, 404: errorReply },
});

const field = z.object({ id: z.int(), name: z.string(), code: z.string().nullable(), type: z.string() });
export const crmDirectory = z.object({
  pipelines: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      is_main: z.boolean(),
      steps: z.array(
        z.object({ id: z.int(), name: z.string(), color: z.string().nullable(), is_incoming: z.boolean() }),
      ),
    }),
  ),
  lead_fields: z.array(field),
  contact_fields: z.array(field),
});
nameShape('CrmDirectory', crmDirectory);

export const readCrmDirectory = endpoint({
  operation: 'getCrmDirectory',
  method: 'GET',
  path: '/v1/crm-integrations/{id}/directory',
  access: 'session',
  summary: 'Pipelines with their steps, and the fields of leads and contacts, for choosing by name',
  load: 'outside',
  slowReason: 'Waits for amoCRM, at its pace.',
  params: integrationParams,
  query: z.strictObject({ refresh: z.boolean().default(false) }),
  replies: { 200: crmDirectory, 404: errorReply, 409: errorReply, 503: errorReply },
});

export const changeCrmStatus = endpoint({
  operation: 'changeCrmStatus',
  method: 'POST',
  path: '/v1/amocrm/actions/change_status',
  access: 'session',
  summary: 'Put the card of a lead into a step',
  load: 'outside',
  slowReason: 'Waits for amoCRM, at its pace.',
  body: z.strictObject({
    company_id: reference('company'),
    lead_id: reference('lead'),
    new_status_id: uncheckedId,
  }),
  replies: {
    200: z.object({ lead_id: z.int(), status_id: z.int() }),
    404: errorReply,
    409: errorReply,
    503: errorReply,
  },
});

export const createCrmLead = endpoint({
  operation: 'createCrmLead',
  method: 'POST',
  path: '/v1/amocrm/actions/create_lead',
  access: 'session',
  summary: 'Make a card in the first step of the product’s pipeline, and its lead here',
  load: 'outside',
  slowReason: 'Waits for amoCRM, at its pace.',
  body: z.strictObject({ company_id: reference('company'), product_id: reference('product'), name }),
  replies: { 201: lead, 404: errorReply, 409: errorReply, 503: errorReply },
});

export const amocrmRefusals = {
  'amocrm.not_connected': { status: 409, sentence: 'This integration is not connected to amoCRM: {reason}.' },
  'amocrm.no_card': { status: 409, sentence: 'This lead has no card in amoCRM.' },
  'amocrm.no_step': { status: 409, sentence: 'There is no step {step} in amoCRM.' },
  'amocrm.no_first_step': {
    status: 409,
    sentence: 'No active pipeline of this product has a step for the stage initial.',
  },
  'amocrm.no_integration': { status: 409, sentence: 'This product uses no active CRM integration.' },
  'amocrm.refused': { status: 409, sentence: '{reason}.' },
  'amocrm.perhaps_made': {
    status: 503,
    sentence: 'amoCRM did not confirm whether it created the card "{name}". Check there before you try again.',
  },
  'amocrm.away': { status: 503, sentence: '{reason}. Please try again.' },
} satisfies RefusalKinds;
