/** Page of the settings of the chosen product: models, outreach, general. */
import { Alert, Badge, Box, Button, Stack, Tabs } from '@mantine/core';
import { IconAlertCircle, IconDeviceFloppy, IconRestore, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FALLBACK_MODELS, readLlmSettings } from '../../llm/settingsContract.ts';
import { Consequences } from '../../outreach/pages/consequences.tsx';
import { ApiError, call, ifMatchOf } from '../../ui/api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { PageLoading } from '../../ui/PageLoading.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { keyOf, useCall, useEndpoint, useFreshQuery, useLogError } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { toast } from '../../ui/toast.ts';
import { useViewRef } from '../../ui/undo.ts';
import { ConflictError, useDraft } from '../../ui/useDraft.tsx';
import { useDraftOnBlur } from '../../ui/useForm.ts';
import { type Product, products } from '../contract.ts';
import { GeneralTab } from './GeneralTab.tsx';
import { ModelsTab } from './ModelsTab.tsx';
import { OutreachTab } from './OutreachTab.tsx';
import {
  defaultModels,
  initialTab,
  isCustom,
  NAME_REQUIRED,
  NO_CONFIG,
  outreachChange,
  type Settings,
  settingsOf,
  UNKNOWN_DEFAULTS,
  validationErrors,
} from './settings.ts';
import { describeSettings, SETTINGS_DRAFT } from './settingsDraft.ts';
import { settingsTools } from './settingsTools.ts';
import { bodyOf, cacheProduct, settingsUndo, settingsView } from './settingsUndo.ts';

const DESCRIPTION = t(
  'Settings of the chosen product: which model does what, first messages and their limits, general.',
);

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
  const { product: chosen } = useScope();
  const cache = useQueryClient();
  const params = { id: product.id };
  const edited = useDraft({
    draftKey: `product_settings/${product.id}`,
    what: t('Product Settings'),
    loaded: product,
    draftOf: settingsOf,
    codec: SETTINGS_DRAFT,
    shared: { reload: () => call(products.get, { params }), describe: describeSettings },
    onStored: (now) => cacheProduct(cache, now),
  });
  const { stored: saved, draft, changed, setDraft, setStored: onSaved, guard } = edited;
  const [deleting, setDeleting] = useState(false);
  const saving = useCall(products.replace);
  const llm = useEndpoint(readLlmSettings, { query: { company_id: product.company_id } });
  useLogError(llm.error, 'Failed to load LLM settings');
  const defaults = llm.error && !llm.data ? UNKNOWN_DEFAULTS : defaultModels(llm.data);
  const models = llm.data?.models ?? FALLBACK_MODELS;
  const errors = validationErrors(draft);
  const onLeave = useDraftOnBlur(draft);
  const visibleErrors = errors.filter((fault) => validationErrors(onLeave.draftAtBlur).includes(fault));
  const canSave = changed && errors.length === 0 && !saving.isPending;
  const {
    params: { tab },
    setView,
  } = usePage();
  const consequences = <Consequences productId={saved.id} proposal={outreachChange(settingsOf(saved), draft)} />;

  const save = async (): Promise<boolean> => {
    try {
      if (chosen === null) throw new NoProduct();
      await edited.save((ifMatch) => saving.mutateAsync({ params, body: bodyOf(draft, saved), ifMatch }));
      toast.success(t('Settings saved successfully!'));
      return true;
    } catch (error) {
      if (error instanceof ConflictError) {
        saving.reset();
        return false;
      }
      const isDeleted = error instanceof NoProduct || (await isDeletedProduct(error, saved.id));
      toast.error(isDeleted ? t('Please select a product first') : t('Failed to save settings. Please try again.'));
      return false;
    }
  };
  const reset = () => {
    edited.restore();
    saving.reset();
    toast.info(t('Configuration reset to saved values.'));
  };
  const deleteConfig = async () => {
    const body = bodyOf({ ...settingsOf(saved), config: NO_CONFIG }, saved);
    try {
      onSaved(await call(products.replace, { params, body, ifMatch: ifMatchOf(saved) }));
    } catch (error) {
      // Show what somebody else saved meanwhile before the operator decides again.
      void cache.invalidateQueries({ queryKey: keyOf(products.get, { params }) });
      throw error;
    }
    toast.success(t('Configuration deleted successfully! Product is now using system defaults.'));
  };

  const view = settingsView(saved.id);
  useViewRef(view, { value: draft, set: setDraft, onSaved });
  const undo = (before: Settings, after: Settings) => settingsUndo(saved, before, after);

  usePageContext({
    description: DESCRIPTION,
    summary: JSON.stringify({
      product: { id: saved.id, name: saved.name },
      unsaved: changed,
      faults: errors,
      settings: draft,
      defaults,
      models,
    }),
    ...settingsTools({
      settings: draft,
      saved: settingsOf(saved),
      defaults,
      blockReason: canSave ? null : (errors[0] ?? t('Nothing has changed.')),
      view,
      undo,
      save,
      reset,
      deleteConfig,
    }),
  });

  return (
    <PageFrame
      title={t('Product Settings')}
      aside={changed && <Badge color="yellow">{t('Unsaved')}</Badge>}
      actions={
        <>
          {isCustom(settingsOf(saved)) && (
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
            onClick={reset}
          >
            {t('Reset')}
          </Button>
          <Button
            size="xs"
            leftSection={<IconDeviceFloppy size="1rem" />}
            disabled={!canSave}
            {...(errors[0] === undefined ? {} : { title: t(errors[0]) })}
            loading={saving.isPending}
            onClick={() => void save()}
          >
            {t('Save Settings')}
          </Button>
        </>
      }
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
      <Tabs
        value={initialTab(tab)}
        onChange={(chosen) => setView({ tab: chosen })}
        keepMounted={false}
        onBlurCapture={onLeave.blur}
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
            <ModelsTab settings={draft} defaults={defaults} models={models} onChange={setDraft} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="outreach">
          <Stack gap="md">
            {consequences}
            <OutreachTab productId={saved.id} settings={draft} onChange={setDraft} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="general">
          <Stack gap="md">
            <GeneralTab
              settings={draft}
              savedZone={saved.timezone}
              isNameless={visibleErrors.includes(NAME_REQUIRED)}
              onChange={setDraft}
            />
            {consequences}
          </Stack>
        </Tabs.Panel>
      </Tabs>
      {deleting && (
        <ConfirmDialog
          title={t('Delete Config')}
          text={t(
            'This deletes the product’s own models and messaging and switches lead expiry off. The product uses the system defaults, and first messages stop.',
          )}
          confirm={t('Delete Config')}
          color="red"
          run={deleteConfig}
          onDone={() => {}}
          onClose={() => setDeleting(false)}
        />
      )}
      {guard.question}
    </PageFrame>
  );
}

/** Thrown if the product was deselected while its settings were open. */
class NoProduct extends Error {}

/**
 * Check whether a request failed because the product itself is gone: deleted by somebody else, or no longer accessible.
 */
async function isDeletedProduct(refusal: unknown, id: number): Promise<boolean> {
  if (!(refusal instanceof ApiError) || refusal.status !== 404) return false;
  const again = await call(products.get, { params: { id } }).catch((error: unknown) => error);
  return again instanceof ApiError && again.status === 404;
}
