/** Leads: the people we talk to, their contacts and their events. */
import { z } from 'zod';
import {
  day,
  endpoint,
  errorReply,
  externalId,
  freeMap,
  instant,
  listReply,
  name,
  nameShape,
  reference,
} from '../platform/contract.ts';
import { crud, listQuery } from '../platform/crud.ts';
import { filtersOf } from '../platform/filters.ts';
import type { RefusalKinds } from '../platform/refuse.ts';
import { rowVersion } from '../platform/rowVersionSchema.ts';
import { timeZone } from '../platform/zones.ts';
import { tag, tagList } from '../products/tagContract.ts';

export const stages = ['initial', 'started', 'ongoing', 'pending', 'refused', 'ignore', 'success', 'failed'] as const;
export type Stage = (typeof stages)[number];

/** Stages in which the bot writes nothing. */
export const botStoppedStages: readonly Stage[] = ['refused', 'ignore', 'failed'];

export const contactTypes = ['telegram', 'whatsapp'] as const;
export type ContactType = (typeof contactTypes)[number];

/** A number that prints back as it was sent: others were rounded when they were read, or belong into a text. */
const crmNumber = z
  .number()
  .refine(
    (value) => /^-?\d+(\.\d+)?$/.test(String(value)) && (!Number.isInteger(value) || Number.isSafeInteger(value)),
    'This number cannot be stored exactly. Send it as text.',
  );

export const crmFields = freeMap(
  z.union([z.string().max(10_000), crmNumber, z.array(z.string().max(1000)).max(100)]),
).refine((map) => Object.keys(map).length <= 200, 'At most 200 fields');

export const lead = z.object({
  id: z.int(),
  product_id: z.int(),
  name: z.string(),
  crm_id: z.string().nullable(),
  crm_fields: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])),
  created_at: instant,
  updated_at: instant,
  recognized_deactivation_request: z.boolean(),
  timezone: z.string().nullable(),
  /** The name of the CRM's step as last read; null without a CRM. */
  status: z.string().nullable(),
  stage: z.enum(stages),
  is_active: z.boolean(),
  /** Whether the lead's stage still has to be written to the CRM. */
  crm_pending: z.boolean(),
  tags: z.array(z.string()),
  /** The operator who is responsible for the lead, and their login. */
  owner_id: z.int().nullable(),
  owner: z.string().nullable(),
  /** The import that created the lead; null for others. */
  import_id: z.int().nullable(),
  import_name: z.string().nullable(),
  /** The newest message in any dialogue of the lead: its text, when, and who wrote it. Included on request. */
  last_message: z.string().nullable().optional(),
  last_message_at: instant.nullable().optional(),
  last_message_by: z.enum(['lead', 'us']).nullable().optional(),
  /** What outreach does next, when, and why not now, as last planned. Included on request. */
  next_action: z.enum(['first', 'ping', 'expire']).nullable().optional(),
  next_action_at: instant.nullable().optional(),
  next_reason: z.record(z.string(), z.unknown()).nullable().optional(),
  version: rowVersion,
});
export type Lead = z.output<typeof lead>;

/** The hint shown when a contact is not a valid address of its type. */
export const ADDRESS_HINT: Readonly<Record<ContactType, string>> = {
  telegram: 'Enter a Telegram username or a phone number with its country code',
  whatsapp: 'Enter a phone number with its country code',
};

const leadCreate = z.strictObject({
  product_id: reference('product'),
  name,
  crm_id: externalId(z.string().trim().max(200)).nullable().default(null),
  crm_fields: crmFields.default({}),
  timezone: timeZone.nullable().default(null),
  stage: z.enum(stages).default('initial'),
  is_active: z.boolean().default(true),
  /** Set: the person asked to get no more messages. Cleared: that is lifted. */
  recognized_deactivation_request: z.boolean().default(false),
  tags: tagList.default([]),
  owner_id: reference('owner').nullable().default(null),
});

/** A condition on a CRM field: `NAME=value`, or `NAME~=part`. An equals sign in the name is written `%3D`. */
export const crmFieldCondition = z
  .string()
  .max(600)
  .regex(/^[^=]*[^=~]~?=./s, 'Write NAME=value or NAME~=part');

export const nextActions = ['first', 'ping', 'expire', 'none'] as const;
export const lastMessageBy = ['lead', 'us', 'none'] as const;

/** Fields that a list includes on request: `with_last_message=true`. */
export const LIST_FIELDS = [
  'last_message',
  'last_message_at',
  'last_message_by',
  'next_action',
  'next_action_at',
  'next_reason',
] as const;

export const leads = crud({
  resource: 'lead',
  plural: 'leads',
  path: '/v1/leads/',
  item: lead,
  create: leadCreate,
  update: leadCreate,
  filters: {
    import_id: reference('lead_import'),
    tag,
    has_owner: z.boolean(),
    crm_field: crmFieldCondition,
    last_message_by: z.enum(lastMessageBy),
    /** Days in the time zone `created_timezone`, both inclusive. */
    last_message_from: day,
    last_message_to: day,
    /** Days on which leads opted out who have not been activated since. */
    opted_out_from: day,
    opted_out_to: day,
    next_action: z.enum(nextActions),
    /** The code of the reason why outreach sends nothing now. */
    next_reason: z.string().min(1).max(50),
  },
  orderBy: ['id', 'name', 'created_at', 'updated_at', 'stage', 'is_active'],
  search: ['name'],
  optionalFields: [...LIST_FIELDS],
});

export const leadEventTypes = [
  'activated',
  'deactivated',
  'stage_changed',
  'crm_status_changed',
  'handed_over',
  'returned_to_bot',
  'opt_out_lifted',
] as const;
export type LeadEventType = (typeof leadEventTypes)[number];

export const leadEvent = z.object({
  id: z.int(),
  lead_id: z.int(),
  /** Included so that lists can show it. */
  lead_name: z.string(),
  event: z.object({ event_type: z.enum(leadEventTypes), event_data: z.record(z.string(), z.unknown()) }),
  created_at: instant,
});
export type LeadEvent = z.output<typeof leadEvent>;
nameShape('LeadEvent', leadEvent);

const leadParams = z.strictObject({ id: reference('lead') });

export const LEAD_EVENT_ORDER = ['id', 'created_at'] as const;

export const eventsOfLead = endpoint({
  operation: 'listEventsOfLead',
  method: 'GET',
  path: '/v1/leads/{id}/events',
  access: 'session',
  summary: 'What happened to a lead, newest first',
  params: leadParams,
  query: listQuery({ id: reference('lead_event'), event_type: z.enum(leadEventTypes) }, LEAD_EVENT_ORDER),
  replies: { 200: listReply(leadEvent), 404: errorReply },
});

export const leadEvents = endpoint({
  operation: 'listLeadEvents',
  method: 'GET',
  path: '/v1/lead-events/',
  access: 'session',
  summary: 'List lead events',
  query: listQuery(
    { ...filtersOf(leadEvent, 'lead_event'), product_id: reference('product'), event_type: z.enum(leadEventTypes) },
    LEAD_EVENT_ORDER,
  ),
  replies: { 200: listReply(leadEvent), 404: errorReply },
});

export const deactivateLead = endpoint({
  operation: 'deactivateLead',
  method: 'POST',
  path: '/v1/leads/{id}/deactivate',
  access: 'session',
  summary: 'Stop the bot from writing to this lead',
  params: leadParams,
  replies: { 200: lead, 404: errorReply },
});

export const changeLeadStage = endpoint({
  operation: 'changeLeadStage',
  method: 'POST',
  path: '/v1/leads/{id}/change_stage',
  access: 'session',
  summary: 'Move a lead to another stage',
  params: leadParams,
  query: z.strictObject({ new_stage: z.enum(stages), update_in_crm: z.boolean().default(true) }),
  replies: { 200: lead, 404: errorReply, 409: errorReply },
});

export const contact = z.object({
  id: z.int(),
  lead_id: z.int(),
  product_id: z.int(),
  contact: z.string(),
  contact_type: z.enum(contactTypes),
  is_main: z.boolean(),
  created_at: instant,
  /** Included so that lists can show it. */
  lead_name: z.string(),
  version: rowVersion,
});
export type Contact = z.output<typeof contact>;

const contactWrite = z.strictObject({
  lead_id: reference('lead'),
  product_id: reference('product'),
  /** Exactly one address, as people write it. */
  contact: externalId(z.string().trim().min(1).max(200)),
  contact_type: z.enum(contactTypes),
  is_main: z.boolean().default(false),
});

export const contacts = crud({
  resource: 'contact',
  plural: 'contacts',
  path: '/v1/contacts/',
  item: contact,
  create: contactWrite,
  update: contactWrite,
  filters: {},
  orderBy: ['id', 'contact', 'contact_type', 'is_main', 'created_at'],
  search: ['contact', 'lead_name'],
});

export const leadRefusals = {
  'lead.stage_by_put': { status: 409, sentence: 'Change the stage with change_stage, not with PUT or PATCH.' },
  'lead.owner_without_access': { status: 409, sentence: 'This operator has no access to the product of the lead.' },
  'lead.product_fixed': { status: 409, sentence: 'A lead cannot move to another product.' },
  'contact.taken': { status: 409, sentence: 'This lead already has that contact.' },
  'contact.lead_fixed': { status: 409, sentence: 'A contact stays with its lead and product.' },
} satisfies RefusalKinds;
