/** Session states of the emulated messengers' channels. Exists in the sandbox only. */
import { z } from 'zod';
import { channelVendors } from '../channels/contract.ts';
import { contactTypes } from '../leads/contract.ts';
import { endpoint, errorReply, nameShape } from '../platform/contract.ts';

const emulatedSession = z.object({
  /** The vendor's reference of the channel. */
  ref: z.string(),
  vendor: z.enum(channelVendors),
  type: z.enum(contactTypes),
  title: z.string(),
  state: z.string(),
  /** States that it can be set to. */
  states: z.array(z.string()),
});
export type EmulatedSession = z.output<typeof emulatedSession>;
nameShape('SandboxSession', emulatedSession);

const all = z.object({ items: z.array(emulatedSession) });

export const listSessions = endpoint({
  operation: 'listSandboxSessions',
  method: 'GET',
  path: '/sandbox/sessions',
  access: 'sandbox',
  summary: 'The sessions of the vendors’ channels',
  replies: { 200: all },
});

export const setSession = endpoint({
  operation: 'setSandboxSession',
  method: 'PUT',
  path: '/sandbox/sessions',
  access: 'sandbox',
  summary: 'Sign a channel out at its vendor, or in again',
  body: z.strictObject({ ref: z.string().min(1).max(200), state: z.string().min(1).max(50) }),
  replies: { 200: all, 404: errorReply, 409: errorReply },
});
