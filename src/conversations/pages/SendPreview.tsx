import { Paper, Text } from '@mantine/core';
import { documentPrompts, preparedMessages } from '../../prompts/contract.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { PlainText } from '../../ui/PlainText.tsx';
import { useEndpoint } from '../../ui/query.ts';
import type { Content } from './sending.ts';

/**
 * Shows the text of the chosen prepared message, or how the chosen document is written.
 *
 * @param id 0 if none is chosen.
 */
export function Preview({ content, id }: { content: Content; id: number }) {
  if (content === 'text' || !(id > 0)) return null;
  return content === 'prepared_message_id' ? <PreparedMessagePreview id={id} /> : <DocumentPreview id={id} />;
}

function PreparedMessagePreview({ id }: { id: number }) {
  const { data, error, refetch } = useEndpoint(preparedMessages.get, { params: { id } });
  if (error) return <Failure error={error} onRetry={() => refetch()} />;
  return (
    <Paper withBorder p="sm" component="section" aria-label={t('Text of the prepared message')} mih="4rem">
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} dir="auto">
        {data && <PlainText text={data.message} />}
      </Text>
      <Text size="xs" c="dimmed" mt="xs">
        {t('Variables are filled in for the lead. If one is empty, nothing is sent.')}
      </Text>
    </Paper>
  );
}

function DocumentPreview({ id }: { id: number }) {
  const { data, error, refetch } = useEndpoint(documentPrompts.get, { params: { id } });
  if (error) return <Failure error={error} onRetry={() => refetch()} />;
  return (
    <Text size="sm" c="dimmed" mih="2lh">
      {data && (
        <>
          {t('A model writes it when you send, which can take a minute. It is saved as {{name}}.', {
            name: `document.${data.document_type}`,
          })}{' '}
          <PageLink to="prompt-detail" params={{ promptId: data.prompt_id }}>
            {t('Open the prompt')}
          </PageLink>
        </>
      )}
    </Text>
  );
}
