/** ChatPush's accounts in the control API. */
import { z } from 'zod';

/** An account of ChatPush: its number, and the session state of each of its messengers (fact sheet, section 3). */
export const chatpushAccountSchema = z.strictObject({
  customerId: z.int(),
  /** 0 signed out, 1 signed in; null if the account has no WhatsApp. */
  whatsapp: z.int().nullable().default(1),
  /** 0 phone, 1 code, 2 password, 3 signed in, 4 QR, 5 blocked; null if it has no Telegram. */
  tdlib: z.int().nullable().default(3),
  bot: z.boolean().default(false),
  subscription: z.string().default('active'),
});
export type ChatpushInput = z.input<typeof chatpushAccountSchema>;

export interface ChatpushView extends z.output<typeof chatpushAccountSchema> {
  readonly token: string;
  webhooks: { readonly id: number; readonly url: string; readonly types: string[] }[];
}
