/** What messengers make of the signs in a text. Runs on the server and in the browser. */
import type { ChannelType } from './contract.ts';

/** WhatsApp's own markup (`*bold*`), or nothing: every sign is shown as it is. */
export const markups = ['whatsapp', 'plain'] as const;
export type Markup = (typeof markups)[number];

/**
 * The markup of a text that a program sends. WhatsApp's clients format whatever they receive. A text sent through the API of
 * Telegram has the format that the sender declares, and neither vendor lets us declare one for a personal account.
 */
export const messengerMarkup: Readonly<Record<ChannelType, Markup>> = { whatsapp: 'whatsapp', telegram: 'plain' };
