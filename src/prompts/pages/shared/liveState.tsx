/** Show what is live of a prompt, and since when. */
import { Badge, Group } from '@mantine/core';
import { type Gate, products } from '../../../products/contract.ts';
import { dayOf, shortDayInSentence } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import { type Prompt, versionsOfPrompt } from '../../contract.ts';

/** Read what saving a prompt of the product does; undefined while it loads. */
export function useGate(productId: number): Gate | undefined {
  const read = useEndpoint(products.get, { params: { id: productId } }, { enabled: productId > 0 });
  return read.data?.config.gate;
}

/** Return whether what was saved last is not live. */
export const isDraft = ({ version, live_version }: Pick<Prompt, 'version' | 'live_version'>): boolean =>
  version !== live_version;

/** Return what is live of a prompt: 'Live: version 4, since 12 May'; null if nothing is. */
export function liveText({ live_version: version, live_since: since }: Prompt): string | null {
  if (version === null || since === null) return null;
  return t('Live: version {{version}}, since {{day}}', { version, day: shortDayInSentence(dayOf(since)) });
}

/** The same for a narrow column named 'Live version': '4 (12 May)'. */
export function liveCell({ live_version: version, live_since: since }: Prompt): string {
  if (version === null || since === null) return t('Not published');
  return t('{{version}} ({{day}})', { version, day: shortDayInSentence(dayOf(since)) });
}

export const draftText = ({ version }: Prompt): string => t('Draft: version {{version}}', { version });

/** Return how a prompt is named in a choice. One that was never published does nothing where it is chosen. */
export const promptLabel = ({ name, live_version: version }: Pick<Prompt, 'name' | 'live_version'>): string =>
  version === null ? t('{{name}} (not published)', { name }) : name;

/** A prompt's saved text, and which version is live. */
export type SavedPrompt = Pick<Prompt, 'id' | 'text' | 'version' | 'live_version'>;

/** Return the text that leads get from a prompt; undefined while it loads, and if it was never published. */
export function useLiveText(prompt: SavedPrompt | null): string | undefined {
  const { id = 0, live_version: live = null } = prompt ?? {};
  const isOther = prompt !== null && live !== null && isDraft(prompt);
  const read = useEndpoint(
    versionsOfPrompt,
    { query: { prompt_id: id, version: live === null ? [] : [live] } },
    { enabled: isOther },
  );
  if (prompt === null || live === null) return undefined;
  return isOther ? read.data?.items[0]?.text : prompt.text;
}

/** What is live of a prompt, and the draft if there is one. */
export function LiveBadges({ prompt }: { prompt: Prompt }) {
  const live = liveText(prompt);
  return (
    <Group gap="xs">
      {live !== null && <Badge color="green">{live}</Badge>}
      {isDraft(prompt) && <Badge color="yellow">{draftText(prompt)}</Badge>}
    </Group>
  );
}
