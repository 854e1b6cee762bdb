import { Highlight } from '@mantine/core';
import { t } from '../../../ui/i18n.ts';

/** An excerpt of a matching message with the search terms highlighted. */
export function SearchSnippet({ text, search }: { text: string; search: string }) {
  return (
    <Highlight
      component="span"
      inherit
      highlight={search.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')}
      highlightStyles={{ background: 'var(--mantine-color-yellow-light)', color: 'inherit' }}
      title={t('Found: {{text}}', { text })}
    >
      {`… ${text.replaceAll(/\s+/g, ' ')} …`}
    </Highlight>
  );
}
