/** A lead's card in the CRM: its id, a link to it, and its step. */
import { Anchor, Group, Stack, Text } from '@mantine/core';
import { IconCloudUpload } from '@tabler/icons-react';
import { readLeadCard } from '../../../crm/amocrmContract.ts';
import { t } from '../../../ui/i18n.ts';
import { useEndpoint } from '../../../ui/query.ts';
import type { Lead } from '../../contract.ts';
import { stageLabel } from './stage.tsx';

/** Refetched with the lead, because writing to the card changes it. */
function useCard(lead: Lead) {
  const { data } = useEndpoint(
    readLeadCard,
    { params: { id: lead.id } },
    { enabled: lead.crm_id !== null, staleTime: 0, refetchInterval: lead.crm_pending ? 3000 : false },
  );
  return data?.card ?? null;
}

/** The card's id, as a link where the account's address is known. */
export function LeadCrmCard({ lead }: { lead: Lead }) {
  const card = useCard(lead);
  if (lead.crm_id === null) return <>–</>;
  const note = card?.note ? <Text c="dimmed">{card.note}</Text> : null;
  // A card with a note and no position is gone.
  if (card === null || String(card.id) !== lead.crm_id || (note !== null && card.step === null))
    return (
      <>
        {lead.crm_id}
        {note}
      </>
    );
  return (
    <>
      <Anchor href={card.url} target="_blank" rel="noopener noreferrer" inherit>
        {t('Card {{id}} in amoCRM', { id: lead.crm_id })}
      </Anchor>
      {note}
    </>
  );
}

/** The name of the card's step, and the stage that still has to be written to the CRM. */
export function LeadCardStep({ lead }: { lead: Lead }) {
  const card = useCard(lead);
  return (
    <Stack gap="xs" align="flex-start">
      <span>
        {lead.status ?? '–'}
        {card?.pipeline && (
          <Text span inherit c="dimmed">
            {' '}
            {t('in {{pipeline}}', { pipeline: card.pipeline })}
          </Text>
        )}
      </span>
      {lead.crm_pending && (
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <IconCloudUpload size="1rem" aria-hidden style={{ flex: 'none' }} />
          <span>
            {card?.wish
              ? t('Waiting to sync to the CRM: {{stage}}', { stage: stageLabel(card.wish) })
              : t('Waiting to sync to the CRM')}
          </span>
        </Group>
      )}
      {lead.crm_pending && card?.error && (
        <Text inherit c="var(--mantine-color-error)">
          {card.error}
        </Text>
      )}
    </Stack>
  );
}
