/** Page of the settings of the chosen product: models, outreach, general. */
import { Alert, Badge, Box, Button, Stack, Tabs } from '@mantine/core';
import { IconAlertCircle, IconDeviceFloppy, IconRestore, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { companyLlms } from '../../llm/contract.ts';
import { FALLBACK_MODELS, readLlmSettings } from '../../llm/settingsContract.ts';
import { Consequences } from '../../outreach/pages/shared/consequences.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { PageLoading } from '../../ui/PageLoading.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { useEndpoint, useFreshQuery, useLogError } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { useViewRef } from '../../ui/undo.ts';
import { type LlmVendor, type Product, products } from '../contract.ts';
import { GeneralTab } from './GeneralTab.tsx';
import { HandOverSection } from './HandOverSection.tsx';
import { ModelsTab } from './ModelsTab.tsx';
import { OutreachTab } from './OutreachTab.tsx';
import {
  defaultModels,
  initialTab,
  isCustom,
  modelErrors,
  NAME_REQUIRED,
  outreachChange,
  type Settings,
  settingsOf,
  UNKNOWN_DEFAULTS,
  validationErrors,
} from './settings.ts';
import { settingsTools } from './settingsTools.ts';
import { settingsUndo, settingsView } from './settingsUndo.ts';
import { type ProductSettings, useProductSettings } from './useProductSettings.ts';

const DESCRIPTION = t('Settings of the chosen product: models, first messages and their limits, general.');

export default function ProductSettingsPage() {
  const { product: chosen } = useScope();
  const found = useFreshQuery(products.get, { params: { id: chosen?.id ?? 0 } }, { enabled: chosen !== null });
  if (found.data) return <ProductSettingsForm key={found.data.id} product={found.data} />;
  return (
    <PageLoading
      title={t('Product Settings')}
      entity={t('settings')}
      description={DESCRIPTION}
      error={found.error}
      onRetry={() => void found.refetch()}
    />
  );
}

function ProductSettingsForm({ product }: { product: Product }) {
  const llm = useEndpoint(readLlmSettings, { query: { company_id: product.company_id } });
  useLogError(llm.error, 'Failed to load LLM settings');
  const vendors = useVendorsWithKey(product.company_id);
  const errorsOf = (settings: Settings) => [
    ...validationErrors(settings),
    ...modelErrors(settings, defaultsOf(llm), vendors),
  ];
  const edited = useProductSettings(product, errorsOf);
  const { saving, visibleErrors } = edited;
  useSettingsContext(edited, llm, errorsOf);
  return (
    <PageFrame
      title={t('Product Settings')}
      aside={edited.changed && <Badge color="yellow">{t('Unsaved')}</Badge>}
      actions={<Actions edited={edited} />}
    >
      {edited.notice && <Box mb="md">{edited.notice}</Box>}
      {saving.error && (
        <Box mb="md">
          <Failure error={saving.error} />
        </Box>
      )}
      {visibleErrors.length > 0 && (
        <Alert color="red" role="alert" icon={<IconAlertCircle />} title={t('Validation Error')} mb="md">
          {visibleErrors.map((fault) => (
            <div key={fault}>{t(fault)}</div>
          ))}
        </Alert>
      )}
      <SettingsTabs edited={edited} llm={llm} />
      {edited.guard.question}
    </PageFrame>
  );
}

type LlmQuery = ReturnType<typeof useEndpoint<typeof readLlmSettings>>;

const defaultsOf = (llm: LlmQuery) => (llm.error && !llm.data ? UNKNOWN_DEFAULTS : defaultModels(llm.data));
const modelsOf = (llm: LlmQuery) => llm.data?.models ?? FALLBACK_MODELS;

/** Return the vendors for which the company has an active key; null while they load. */
function useVendorsWithKey(companyId: number): ReadonlySet<LlmVendor> | null {
  const query = { company_id: [companyId], is_active: [true], limit: 100 };
  const { data } = useEndpoint(companyLlms.list, { query });
  return data ? new Set(data.items.map(({ vendor }) => vendor)) : null;
}

/** Publish the settings to the assistant. */
function useSettingsContext(edited: ProductSettings, llm: LlmQuery, errorsOf: (settings: Settings) => string[]): void {
  const { stored, draft, changed, errors, save, reset, deleteConfig } = edited;
  const view = settingsView(stored.id);
  useViewRef(view, { value: draft, set: edited.setDraft, onSaved: edited.setStored });
  const defaults = defaultsOf(llm);
  usePageContext({
    description: DESCRIPTION,
    summary: JSON.stringify({
      product: { id: stored.id, name: stored.name },
      unsaved: changed,
      faults: errors,
      settings: draft,
      defaults,
      models: modelsOf(llm),
    }),
    ...settingsTools({
      settings: draft,
      saved: settingsOf(stored),
      defaults,
      errorsOf,
      blockReason: edited.canSave ? null : (errors[0] ?? t('Nothing has changed.')),
      view,
      undo: (before, after) => settingsUndo(stored, before, after),
      save,
      reset,
      deleteConfig,
    }),
  });
}

function Actions({ edited }: { edited: ProductSettings }) {
  const { stored, changed, errors, canSave, saving } = edited;
  const [deleting, setDeleting] = useState(false);
  return (
    <>
      {isCustom(settingsOf(stored)) && (
        // Apart from Save and unobtrusive: its dialog says, in red, what is lost.
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          mr="xl"
          leftSection={<IconTrash size="1rem" />}
          onClick={() => setDeleting(true)}
        >
          {t('Delete Config')}
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconRestore size="1rem" />}
        disabled={!changed || saving.isPending}
        onClick={edited.reset}
      >
        {t('Reset')}
      </Button>
      <Button
        size="xs"
        leftSection={<IconDeviceFloppy size="1rem" />}
        disabled={!canSave}
        {...(errors[0] === undefined ? {} : { title: t(errors[0]) })}
        loading={saving.isPending}
        onClick={() => void edited.save()}
      >
        {t('Save Settings')}
      </Button>
      {deleting && (
        <ConfirmDialog
          title={t('Delete Config')}
          text={t(
            'This deletes the product’s own models and messaging and switches lead expiry off. The product uses the system defaults, and first messages stop.',
          )}
          confirm={t('Delete Config')}
          color="red"
          run={edited.deleteConfig}
          onDone={() => {}}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

function SettingsTabs({ edited, llm }: { edited: ProductSettings; llm: LlmQuery }) {
  const { params, setView } = usePage();
  const { stored, draft, setDraft } = edited;
  const consequences = <Consequences productId={stored.id} proposal={outreachChange(settingsOf(stored), draft)} />;
  return (
    <Tabs
      value={initialTab(params.tab)}
      onChange={(tab) => setView({ tab })}
      keepMounted={false}
      onBlurCapture={edited.blur}
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="models">{t('LLM Models')}</Tabs.Tab>
        <Tabs.Tab value="outreach">{t('Outreach')}</Tabs.Tab>
        <Tabs.Tab value="general">{t('General')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="models">
        <Stack gap="md">
          {llm.error && !llm.data && (
            <Failure error={llm.error} what={t('Failed to load the default models')} onRetry={() => llm.refetch()} />
          )}
          <ModelsTab settings={draft} defaults={defaultsOf(llm)} models={modelsOf(llm)} onChange={setDraft} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="outreach">
        <Stack gap="md">
          {consequences}
          <OutreachTab productId={stored.id} settings={draft} onChange={setDraft} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="general">
        <Stack gap="md">
          <GeneralTab
            settings={draft}
            savedZone={stored.timezone}
            isNameless={edited.visibleErrors.includes(NAME_REQUIRED)}
            onChange={setDraft}
          />
          <HandOverSection settings={draft} onChange={setDraft} />
          {consequences}
        </Stack>
      </Tabs.Panel>
    </Tabs>
  );
}
