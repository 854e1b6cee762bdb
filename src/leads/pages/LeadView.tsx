import { Button, Grid, Skeleton, Stack, Text } from '@mantine/core';
import { IconArrowsExchange, IconPencil, IconPlayerStop, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { pageTools } from '../../ui/pageTool.ts';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { useShortcut } from '../../ui/shortcuts.ts';
import type { Lead } from '../contract.ts';
import { LeadClassifications } from './LeadClassifications.tsx';
import { LeadContacts } from './LeadContacts.tsx';
import { type LeadAction, LeadDialogs } from './LeadDialogs.tsx';
import { LeadDialogues } from './LeadDialogues.tsx';
import { LeadDocuments } from './LeadDocuments.tsx';
import { LeadFacts } from './LeadFacts.tsx';
import { LeadLinks } from './LeadLinks.tsx';
import { LeadNext } from './LeadNext.tsx';
import { LeadRecentEvents } from './LeadRecentEvents.tsx';
import { LeadState } from './LeadState.tsx';
import { useLeadSummary } from './leadSummary.ts';
import { editingTools, leadPageTools } from './shared/leadTools.ts';
import { PersonOptOutNotice } from './shared/personOptOut.tsx';

interface LeadViewProps {
  id: number | null;
  lead: Lead | undefined;
  name: string;
  error: Error | null;
  retry: () => void;
}

/** A lead's page: fields, next step, contacts, dialogues and events. */
export function LeadView({ id, lead, name, error, retry }: LeadViewProps) {
  const page = usePage();
  const [action, setAction] = useState<LeadAction | null>(null);
  const back = () => page.back('crm-leads');
  const summary = useLeadSummary(lead);
  useShortcut('s', t('Change the stage'), () => lead && setAction('stage'));
  usePageContext({
    description: t('One lead: its fields, stage, next message, contacts, dialogues, documents and recent events.'),
    summary: summary ?? JSON.stringify({ id, state: error ? 'failed to load' : 'loading' }),
    ...pageTools(...(id === null ? [] : leadPageTools(id)), ...(lead ? editingTools(lead.id) : [])),
  });
  return (
    <PageFrame
      title={name === '' ? t('Lead') : name}
      onBack={back}
      aside={lead && <LeadState lead={lead} />}
      actions={
        (lead || !error) && (
          <>
            {/* Rendered before the lead is loaded, so that the layout does not shift. */}
            <Button
              size="xs"
              variant="default"
              disabled={!lead}
              leftSection={<IconArrowsExchange size="1rem" />}
              onClick={() => setAction('stage')}
            >
              {t('Change stage')}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={!lead}
              leftSection={<IconPencil size="1rem" />}
              onClick={() => setAction('edit')}
            >
              {t('Edit')}
            </Button>
            {lead && (
              <RowMenu
                name={lead.name}
                actions={[
                  ...(lead.is_active
                    ? [{ label: t('Deactivate'), icon: IconPlayerStop, run: () => setAction('deactivate') }]
                    : []),
                  { label: t('Delete'), icon: IconTrash, run: () => setAction('delete'), danger: true },
                ]}
              />
            )}
          </>
        )
      }
    >
      {error && <Failure error={error} onRetry={retry} />}
      {!lead && !error && <LeadSkeleton />}
      {lead && (
        <Stack gap="md">
          <PersonOptOutNotice lead={lead} onChanged={retry} />
          <Grid gap="md">
            <Grid.Col span={{ base: 12, lg: 5 }}>
              <LeadFacts lead={lead} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, lg: 7 }}>
              <Stack gap="md">
                <LeadLinks lead={lead} />
                <LeadNext lead={lead} />
                <LeadContacts lead={lead} />
                <LeadDialogues lead={lead} />
                <LeadClassifications lead={lead} />
                <LeadDocuments lead={lead} />
                <LeadRecentEvents lead={lead} />
              </Stack>
            </Grid.Col>
          </Grid>
        </Stack>
      )}
      {lead && action && <LeadDialogs lead={lead} action={action} onClose={() => setAction(null)} />}
    </PageFrame>
  );
}

function LeadSkeleton() {
  return (
    <Stack gap="md">
      <Text size="xs" c="dimmed" role="status">
        {t('Loading {{entity}}...', { entity: t('lead') })}
      </Text>
      {[60, 45, 70, 50, 65].map((width) => (
        <Skeleton key={width} height="1rem" width={`${width}%`} />
      ))}
    </Stack>
  );
}
