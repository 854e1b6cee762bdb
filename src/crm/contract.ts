/** Contract of CRM integrations: those of companies, and how products use them. */
import { z } from 'zod';
import { changeShape, createShape } from '../platform/change.ts';
import { endpoint, errorReply, instant, listReply, name, nameShape, reference } from '../platform/contract.ts';
import { crud, listQuery } from '../platform/crud.ts';
import { filtersOf } from '../platform/filters.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';

export const crmTypes = ['amocrm'] as const;

export const crmIntegration = z.object({
  id: z.int(),
  company_id: z.int(),
  name: z.string(),
  crm_type: z.enum(crmTypes),
  is_active: z.boolean(),
  created_at: instant,
});
export type CrmIntegration = z.output<typeof crmIntegration>;

/**
 * Integrations are created by the CRM's own consent, so they can be read and deleted here but not created or edited.
 */
const declared = crud({
  resource: 'crm_integration',
  plural: 'CRM integrations',
  path: '/v1/crm-integrations/',
  item: crmIntegration,
  create: z.strictObject({}),
  update: z.strictObject({}),
  filters: {},
  orderBy: ['id', 'name', 'is_active', 'created_at'],
  search: ['name'],
});
/** Deleting an integration calls amoCRM first. */
export const crmIntegrations = { ...declared, remove: { ...declared.remove, load: 'outside' as const } };

/** Id of a step in the CRM; 0 if the stage is not mapped. */
const stepId = z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0);

const pipeline = z.strictObject({
  is_active: z.boolean().default(true),
  pipeline_id: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
  steps: z
    .strictObject({
      initial: stepId,
      started: stepId,
      ongoing: stepId,
      pending: stepId,
      refused: stepId,
      ignore: stepId,
      success: stepId,
      failed: stepId,
    })
    .prefault({}),
});

const integrationConfig = z.strictObject({
  import_enabled: z.boolean().default(true),
  tg_contact_custom_field_name: name.default('telegram'),
  whatsapp_contact_custom_field_name: name.default('whatsapp'),
  pipelines: z.array(pipeline).max(100).default([]),
});
export type IntegrationConfig = z.output<typeof integrationConfig>;

export const productIntegration = z.object({
  id: z.int(),
  product_id: z.int(),
  crm_integration_id: z.int(),
  config: integrationConfig,
  created_at: instant,
  version: rowVersion,
});
export type ProductIntegration = z.output<typeof productIntegration>;
nameShape('ProductIntegration', productIntegration);

const write = z.strictObject({
  product_id: reference('product'),
  crm_integration_id: reference('crm_integration'),
  config: integrationConfig.prefault({}),
});

const integrationKey = z.strictObject({
  product_id: reference('product'),
  crm_integration_id: reference('crm_integration'),
});
const PATH = '/v1/product_integrations/';
const ITEM_PATH = `${PATH}{product_id}/{crm_integration_id}`;

const changeEndpoint = {
  path: ITEM_PATH,
  access: 'session',
  params: integrationKey,
  body: changeShape(write, productIntegration),
  versioned: true,
  replies: { 200: productIntegration, 404: errorReply, 409: errorReply },
} as const;

/** Keyed by product and integration, so not the five endpoints of a resource with an id. */
export const productIntegrations = {
  list: endpoint({
    operation: 'listProductIntegrations',
    method: 'GET',
    path: PATH,
    access: 'session',
    summary: 'List product integrations',
    query: listQuery(filtersOf(productIntegration, 'product_integration'), [
      'id',
      'product_id',
      'crm_integration_id',
      'created_at',
    ]),
    replies: { 200: listReply(productIntegration) },
  }),
  create: endpoint({
    operation: 'createProductIntegration',
    method: 'POST',
    path: PATH,
    access: 'session',
    summary: 'Use a CRM integration for a product',
    body: createShape(write, productIntegration),
    versioned: true,
    replies: { 201: productIntegration, 404: errorReply, 409: errorReply },
  }),
  get: endpoint({
    operation: 'getProductIntegration',
    method: 'GET',
    path: ITEM_PATH,
    access: 'session',
    summary: 'Read a product integration',
    params: integrationKey,
    versioned: true,
    replies: { 200: productIntegration, 404: errorReply },
  }),
  update: write,
  replace: endpoint({
    ...changeEndpoint,
    operation: 'replaceProductIntegration',
    method: 'PUT',
    summary: 'Replace the settings of a product integration; omitted fields keep their values',
  }),
  change: endpoint({
    ...changeEndpoint,
    operation: 'updateProductIntegration',
    method: 'PATCH',
    summary: 'Change the settings of a product integration; omitted fields keep their values',
  }),
  remove: endpoint({
    operation: 'deleteProductIntegration',
    method: 'DELETE',
    path: ITEM_PATH,
    access: 'session',
    summary: 'Stop using a CRM integration for a product',
    params: integrationKey,
    versioned: true,
    replies: { 204: z.null(), 404: errorReply, 409: errorReply },
  }),
};

export const crmRefusals = {
  'integration.used': {
    status: 409,
    sentence: 'This integration is still used by {count} product(s). Remove it from their settings first.',
  },
  'integration.exists': { status: 409, sentence: 'This product already uses the integration.' },
  'integration.pair_fixed': { status: 409, sentence: 'Product and integration of these settings cannot change.' },
} satisfies RefusalKinds;
