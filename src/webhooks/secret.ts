/** Where the secret of a webhook is stored. */
export const secretLocation = (webhookId: number): string => `webhooks.secret_sealed.${webhookId}`;
