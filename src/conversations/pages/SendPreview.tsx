import { Paper, Text } from '@mantine/core';
import { documentPrompts, preparedMessages } from '../../prompts/contract.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { PageLink } from '../../ui/PageLink.tsx';
import { PlainText } from '../../ui/PlainText.tsx';
import { useEndpoint } from '../../ui/query.ts';
import { useRendered } from './chat/useRendered.ts';
import type { Content } from './sending.ts';

/**
 * Shows the text of the chosen prepared message as the lead will read it, or how the chosen document is written.
 *
 * @param id 0 if none is chosen.
 */
export function Preview({ content, id, leadId }: { content: Content; id: number; leadId: number }) {
  if (content === 'text' || !(id > 0)) return null;
  return content === 'prepared_message_id' ? (
    <PreparedMessagePreview id={id} leadId={leadId} />
  ) : (
    <DocumentPreview id={id} />
  );
}

function PreparedMessagePreview({ id, leadId }: { id: number; leadId: number }) {
  const { data, error, refetch } = useEndpoint(preparedMessages.get, { params: { id } });
  const rendered = useRendered({ productId: data?.product_id ?? 0, leadId, text: data?.message ?? null });
  if (error) return <Failure error={error} onRetry={() => refetch()} />;
  // Until it is known how the lead reads it, the text as it was prepared.
  const text = rendered?.text ?? data?.message;
  return (
    <Paper withBorder p="sm" component="section" aria-label={t('Text of the prepared message')} mih="4rem">
      <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }} dir="auto">
        {text !== undefined && <PlainText text={text} />}
      </Text>
      {rendered?.problem && (
        <Text size="xs" c="red" mt="xs" role="status">
          {rendered.problem}
        </Text>
      )}
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
