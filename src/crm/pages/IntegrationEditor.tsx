/** Edit the settings of one integration of a product. */
import { Alert, Badge, Button, Group, Select, Skeleton, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlus, IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../ui/api.ts';
import { useNow } from '../../ui/clock.ts';
import { DeleteDialog } from '../../ui/DeleteDialog.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { PageLink } from '../../ui/PageLink.tsx';
import { usePageContext } from '../../ui/pageContext.ts';
import { keyOf, useEndpoint } from '../../ui/query.ts';
import { SaveButtons } from '../../ui/SaveButtons.tsx';
import { Section } from '../../ui/Section.tsx';
import { toast } from '../../ui/toast.ts';
import { readCrmDirectory, readIntegrationState } from '../amocrmContract.ts';
import type { CrmIntegration, ProductIntegration } from '../contract.ts';
import { ConnectionBadge } from './connection.tsx';
import { ImportCard } from './ImportCard.tsx';
import { integrationContext } from './integrationContext.ts';
import { type Faults, findWarnings, MAX_PIPELINES } from './integrationDraft.ts';
import { PipelineCard } from './PipelineCard.tsx';
import { type IntegrationSettings, useIntegrationSettings } from './useIntegrationSettings.ts';

interface IntegrationEditorProps {
  productId: number;
  integration: CrmIntegration;
  options: readonly CrmIntegration[];
  loaded: ProductIntegration | null;
  onChoose: (integrationId: number) => void;
}

export function IntegrationEditor({ productId, integration, options, loaded, onChoose }: IntegrationEditorProps) {
  const directory = useDirectory(integration.id);
  const names = directory.read.data;
  const { id: integrationId, name } = integration;
  const settings = useIntegrationSettings({ productId, integrationId, name, directory: names }, loaded);
  const { stored, changed, guard } = settings;
  const [showFaults, setShowFaults] = useState(false);
  const [removing, setRemoving] = useState(false);
  const faults = showFaults ? settings.faults : {};

  const save = async (): Promise<boolean> => {
    onChoose(integrationId);
    setShowFaults(true);
    const isSaved = Object.keys(settings.missing).length === 0 && (await settings.store());
    if (isSaved) setShowFaults(false);
    else focusFirstError();
    return isSaved;
  };
  const reset = () => {
    settings.restore();
    setShowFaults(false);
    toast.info(t('Configuration reset to saved values.'));
  };
  usePageContext(integrationContext(settings, { name, directory: names }, { save, reset }));

  return (
    <PageFrame
      title={t('Integration Settings')}
      aside={changed && <Badge color="yellow">{t('Unsaved')}</Badge>}
      actions={
        <SaveButtons
          label={t('Save Settings')}
          changed={changed}
          isNew={stored === null}
          saving={settings.saving}
          onSave={save}
          onReset={reset}
          removal={stored === null ? null : { label: t('Stop using'), onRemove: () => setRemoving(true) }}
        />
      }
    >
      <Stack gap="md">
        {settings.notice}
        {settings.error && <Failure error={settings.error} />}
        <IntegrationSelect
          integration={integration}
          isConfigured={stored !== null}
          options={options}
          onChoose={(id) => guard.ask(() => onChoose(id))}
        />
        <ImportCard
          draft={settings.draft}
          directory={names}
          faults={faults}
          onChange={(change) => settings.edit(() => change)}
        />
        <Pipelines settings={settings} directory={directory} faults={faults} />
      </Stack>
      {removing && (
        <DeleteDialog
          what={t('these integration settings of the product')}
          remove={settings.remove}
          cascadeCounts={async () => t('Its leads stay but no longer follow their cards, and no cards are imported.')}
          onDone={() => {
            settings.onRemoved();
            onChoose(integrationId);
            toast.success(t('The product no longer uses {{name}}', { name }));
          }}
          onClose={() => setRemoving(false)}
        />
      )}
      {guard.question}
    </PageFrame>
  );
}

interface PipelinesProps {
  settings: IntegrationSettings;
  directory: ReturnType<typeof useDirectory>;
  faults: Faults;
}

function Pipelines({ settings, directory: { read, pending, refresh }, faults }: PipelinesProps) {
  const { draft } = settings;
  const directory = read.data;
  const add = () => {
    const added = settings.add();
    if ('key' in added)
      requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-pipeline="${added.key}"]`)?.focus());
  };
  return (
    <>
      {!directory && read.error && <NamesUnavailable error={read.error} pending={pending} onRetry={refresh} />}
      {read.isPending ? (
        <Skeleton height="10rem" aria-label={t('Loading {{entity}}...', { entity: t('pipelines') })} />
      ) : (
        draft.pipelines.map((pipeline, index) => (
          <PipelineCard
            key={pipeline.key}
            number={index + 1}
            pipeline={pipeline}
            directory={directory}
            warnings={findWarnings(pipeline, { draft, directory })}
            faults={faults}
            onChange={(next) => settings.change(pipeline.key, next)}
            onRemove={() => settings.removePipeline(pipeline.key)}
          />
        ))
      )}
      {draft.pipelines.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('Without a pipeline, no cards are imported or moved.')}
        </Text>
      )}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size="1rem" />}
          disabled={read.isPending || draft.pipelines.length >= MAX_PIPELINES}
          onClick={add}
        >
          {t('Add Pipeline')}
        </Button>
        {directory && (
          <Button
            size="xs"
            variant="subtle"
            leftSection={<IconRefresh size="1rem" />}
            loading={pending}
            onClick={refresh}
          >
            {t('Reload names')}
          </Button>
        )}
      </Group>
    </>
  );
}

/** Read the names of the account's pipelines, steps and fields. */
function useDirectory(integrationId: number) {
  const cache = useQueryClient();
  const [pending, setPending] = useState(false);
  const args = { params: { id: integrationId } };
  const read = useEndpoint(readCrmDirectory, args);
  const refresh = async () => {
    setPending(true);
    try {
      const fresh = await call(readCrmDirectory, { ...args, query: { refresh: true } });
      cache.setQueryData(keyOf(readCrmDirectory, args), fresh);
    } catch (error) {
      toast.failure(error);
    } finally {
      setPending(false);
    }
  };
  return { read, pending, refresh: () => void refresh() };
}

function NamesUnavailable({ error, pending, onRetry }: { error: Error; pending: boolean; onRetry: () => void }) {
  return (
    <Alert color="yellow" icon={<IconAlertTriangle />} title={t('Names are unavailable')} role="alert">
      <Text size="sm">{error.message}</Text>
      <Text size="sm">{t('Pipelines and steps are shown by id. You can still change and save them.')}</Text>
      <Group mt="xs">
        <Button size="xs" variant="default" loading={pending} onClick={onRetry}>
          {t('Retry')}
        </Button>
      </Group>
    </Alert>
  );
}

interface SelectionProps {
  integration: CrmIntegration;
  /** True if the product has settings for it. */
  isConfigured: boolean;
  options: readonly CrmIntegration[];
  onChoose: (id: number) => void;
}

function IntegrationSelect({ integration, isConfigured, options, onChoose }: SelectionProps) {
  const now = useNow();
  const state = useEndpoint(readIntegrationState, { params: { id: integration.id } }, { staleTime: 0 });
  return (
    <Section
      title={t('CRM integration')}
      actions={
        <>
          <Badge color={isConfigured ? 'teal' : 'gray'}>{isConfigured ? t('Configured') : t('Not Configured')}</Badge>
          {state.data && <ConnectionBadge state={state.data} now={now} />}
          <Text size="sm">
            <PageLink to="crm-integration" params={{ integrationId: integration.id }}>
              {t('Connection and sync')}
            </PageLink>
          </Text>
        </>
      }
    >
      <Select
        label={t('Account')}
        data={options.map(({ id, name, is_active: isActive }) => ({
          value: String(id),
          label: isActive ? name : t('{{name}} (disconnected)', { name }),
        }))}
        value={String(integration.id)}
        searchable
        allowDeselect={false}
        nothingFoundMessage={t('Nothing found')}
        onChange={(value) => value !== null && Number(value) !== integration.id && onChoose(Number(value))}
      />
    </Section>
  );
}

/** Focus the first invalid field, once the faults are rendered. */
function focusFirstError(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('main [aria-invalid="true"]')?.focus());
}
