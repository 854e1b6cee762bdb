/** The sandbox: the phones of the demo's leads, the faults, the clock. Exists in the sandbox only. */
import { z } from 'zod';
import { channelVendors } from '../channels/contract.ts';
import { contactTypes, stages } from '../leads/contract.ts';
import { endpoint, errorReply, instant, nameShape, uncheckedId } from '../platform/contract.ts';
import { clockState } from '../platform/installationContract.ts';

const phone = z.object({
  contact_id: z.int(),
  lead_id: z.int(),
  lead_name: z.string(),
  stage: z.enum(stages),
  product_id: z.int(),
  product_name: z.string(),
  contact: z.string(),
  contact_type: z.enum(contactTypes),
  dialogue_id: z.int().nullable(),
  /** Vendor through which the lead and we talk. */
  vendor: z.enum(channelVendors).nullable(),
});
export type Phone = z.output<typeof phone>;
nameShape('SandboxPhone', phone);

export const listPhones = endpoint({
  operation: 'listSandboxPhones',
  method: 'GET',
  path: '/sandbox/phones',
  access: 'sandbox',
  summary: 'Phones of the leads, those who talked last first',
  query: z.strictObject({ search: z.string().max(200).optional() }),
  replies: { 200: z.object({ items: z.array(phone) }) },
});

const phoneMessage = z.object({
  id: z.string(),
  /** `lead`: written on this phone; `us`: received by it. */
  from: z.enum(['lead', 'us']),
  text: z.string(),
  kind: z.string(),
  at: instant,
  status: z.string(),
});
export type PhoneMessage = z.output<typeof phoneMessage>;
nameShape('SandboxPhoneMessage', phoneMessage);

const onePhone = z.strictObject({ contact_id: uncheckedId });

export const readPhone = endpoint({
  operation: 'getSandboxPhone',
  method: 'GET',
  path: '/sandbox/phones/{contact_id}',
  access: 'sandbox',
  summary: 'What this lead sees on the phone',
  params: onePhone,
  replies: { 200: z.object({ phone, items: z.array(phoneMessage) }), 404: errorReply },
});

/** Kinds of messages that a lead can send from the phone page; media need no text. */
export const writtenKinds = ['text', 'image', 'audio', 'video', 'document', 'geo'] as const;
export type WrittenKind = (typeof writtenKinds)[number];

export const writeAsLead = endpoint({
  operation: 'writeAsSandboxLead',
  method: 'POST',
  path: '/sandbox/phones/{contact_id}/write',
  access: 'sandbox',
  summary: 'Write as the lead',
  params: onePhone,
  body: z
    .strictObject({ text: z.string().max(10_000), kind: z.enum(writtenKinds).default('text') })
    .refine((body) => body.kind !== 'text' || body.text.trim() !== '', { message: 'Write something', path: ['text'] }),
  replies: { 200: z.object({ id: z.string() }), 404: errorReply, 409: errorReply },
});

export const writeFromOurPhone = endpoint({
  operation: 'writeFromSandboxTeamPhone',
  method: 'POST',
  path: '/sandbox/phones/{contact_id}/human',
  access: 'sandbox',
  summary: "Write to the lead from the team's own phone, past Rapport",
  params: onePhone,
  body: z.strictObject({ text: z.string().min(1).max(10_000) }),
  replies: { 200: z.object({ id: z.string() }), 404: errorReply, 409: errorReply },
});

const fault = z.object({
  id: z.string(),
  /** One sentence about the fault's effect. */
  title: z.string(),
  vendor: z.string(),
  on: z.boolean(),
});
export type Fault = z.output<typeof fault>;
nameShape('SandboxFault', fault);

export const listFaults = endpoint({
  operation: 'listSandboxFaults',
  method: 'GET',
  path: '/sandbox/faults',
  access: 'sandbox',
  summary: 'The fault switches',
  replies: { 200: z.object({ items: z.array(fault) }) },
});

export const setFault = endpoint({
  operation: 'setSandboxFault',
  method: 'PUT',
  path: '/sandbox/faults/{id}',
  access: 'sandbox',
  summary: 'Turn a fault on or off',
  params: z.strictObject({ id: z.string().max(100) }),
  body: z.strictObject({ on: z.boolean() }),
  replies: { 200: z.object({ items: z.array(fault) }), 404: errorReply },
});

const sandboxKey = z.object({
  vendor: z.string(),
  /** Key to copy; null if there is nothing to type in. */
  key: z.string().nullable(),
  /** One sentence about what the key gives access to. */
  gives: z.string(),
});
export type SandboxKey = z.output<typeof sandboxKey>;
nameShape('SandboxKey', sandboxKey);

export const listKeys = endpoint({
  operation: 'listSandboxKeys',
  method: 'GET',
  path: '/sandbox/keys',
  access: 'sandbox',
  summary: 'Keys that the emulated vendors take, for whoever connects something',
  replies: { 200: z.object({ items: z.array(sandboxKey) }) },
});

export const moveClock = endpoint({
  operation: 'moveSandboxClock',
  method: 'POST',
  path: '/sandbox/clock',
  access: 'sandbox',
  summary: 'Move the domain clock forward, from due instant to due instant',
  slowReason: 'Waits until everything that is due on the way has happened.',
  body: z.strictObject({
    seconds: z
      .int()
      .positive()
      .max(366 * 86_400),
  }),
  replies: { 200: clockState },
});
