/** Saved views: the state of a list under a name, for its author or for all members of the company. */
import { z } from 'zod';
import { createShape } from '../platform/change.ts';
import { endpoint, errorReply, freeMap, instant, name, nameShape, reference } from '../platform/contract.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';

/** Most views of an operator in a company. */
export const MAX_VIEWS = 200;

const params = freeMap(z.string().max(4000)).refine((map) => Object.keys(map).length <= 50, 'At most 50 parameters');

export const savedView = z.object({
  id: z.int(),
  company_id: z.int(),
  /** Key of the console's page, as in its address. */
  page: z.string(),
  name: z.string(),
  /** The address parameters that the view sets: search, filters, order. */
  params: z.record(z.string(), z.string()),
  shared: z.boolean(),
  /** Login of the author. */
  operator: z.string(),
  /** Whether the caller is the author. */
  own: z.boolean(),
  created_at: instant,
  version: rowVersion,
});
export type SavedView = z.output<typeof savedView>;
nameShape('SavedView', savedView);

const page = z.string().trim().min(1).max(100);
const viewParams = z.strictObject({ id: reference('saved_view') });

export const savedViews = endpoint({
  operation: 'listSavedViews',
  method: 'GET',
  path: '/v1/companies/{id}/views',
  access: 'session',
  summary: 'The views of a page: the own ones, and those that others share with the company',
  params: z.strictObject({ id: reference('company') }),
  query: z.strictObject({ page }),
  replies: { 200: z.object({ views: z.array(savedView) }), 404: errorReply },
});

export const saveView = endpoint({
  operation: 'createSavedView',
  method: 'POST',
  path: '/v1/companies/{id}/views',
  access: 'session',
  summary: 'Save the state of a list under a name',
  params: z.strictObject({ id: reference('company') }),
  body: createShape(
    z.strictObject({ page, name: name.max(100), params: params.default({}), shared: z.boolean().default(false) }),
    savedView,
  ),
  replies: { 201: savedView, 404: errorReply, 409: errorReply },
});

export const changeView = endpoint({
  operation: 'updateSavedView',
  method: 'PATCH',
  path: '/v1/views/{id}',
  access: 'session',
  summary: 'Rename a view, share it, or replace its state; omitted fields keep their values',
  versioned: true,
  params: viewParams,
  body: z.strictObject({
    name: name.max(100).optional(),
    params: params.optional(),
    shared: z.boolean().optional(),
  }),
  replies: { 200: savedView, 403: errorReply, 404: errorReply, 409: errorReply },
});

export const deleteView = endpoint({
  operation: 'deleteSavedView',
  method: 'DELETE',
  path: '/v1/views/{id}',
  access: 'session',
  summary: 'Delete a saved view',
  params: viewParams,
  replies: { 204: z.null(), 403: errorReply, 404: errorReply },
});

export const viewRefusals = {
  'view.not_author': { status: 403, sentence: 'Only its author or an admin may change this view.' },
  'view.too_many': { status: 409, sentence: 'You have {most} saved views already. Delete some first.' },
} satisfies RefusalKinds;
