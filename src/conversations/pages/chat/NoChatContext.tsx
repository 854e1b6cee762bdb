import { t } from '../../../ui/i18n.ts';
import { usePageContext } from '../../../ui/pageContext.ts';

export const describeChat = () =>
  t('The conversation with one lead: read it, reply, and hand it between the bot and a human.');

/** Context of a dialogue that does not exist, or is not loaded yet. */
export function NoChatContext({ state }: { state: string }) {
  usePageContext({ description: describeChat(), summary: JSON.stringify({ state }), tools: [] });
  return null;
}
