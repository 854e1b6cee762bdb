/** The settings of the chosen product: models, outreach, general. */
import { Alert, Badge, Box, Button, Stack, Tabs } from '@mantine/core';
import { IconAlertCircle, IconDeviceFloppy, IconRestore, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call, tagOf } from '../../kit/api.ts';
import { ConfirmDialog } from '../../kit/ConfirmDialog.tsx';
import { Conflict, useEdited } from '../../kit/edited.tsx';
import { Failure } from '../../kit/Failure.tsx';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { PageWaiting } from '../../kit/PageWaiting.tsx';
import { usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { keyOf, useAnew, useCall, useEndpoint, useLogged } from '../../kit/query.ts';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { useInView } from '../../kit/undo.ts';
import { useOnLeave } from '../../kit/useForm.ts';
import { FALLBACK_MODELS, readLlmSettings } from '../../llm/settingsContract.ts';
import { Consequences } from '../../outreach/pages/consequences.tsx';
import { type Product, products } from '../contract.ts';
import { GeneralTab } from './GeneralTab.tsx';
import { ModelsTab } from './ModelsTab.tsx';
import { OutreachTab } from './OutreachTab.tsx';
import {
  defaultModels,
  faultsOf,
  initialTab,
  isCustom,
  NAMELESS,
  NO_CONFIG,
  outreachChange,
  type Settings,
  settingsOf,
  UNKNOWN_DEFAULTS,
} from './settings.ts';
import { describeSettings, SETTINGS_DRAFT } from './settingsDraft.ts';
import { settingsTools } from './settingsTools.ts';
import { bodyOf, cacheProduct, settingsUndo, settingsView } from './settingsUndo.ts';

const DESCRIPTION = t(
  'Settings of the chosen product: which model does what, first messages and their limits, general.',
);

export default function ProductSettingsPage() {
  const { product: chosen } = useScope();
  const found = useAnew(products.get, { params: { id: chosen?.id ?? 0 } }, { enabled: chosen !== null });
  if (found.data) return <Editing key={found.data.id} product={found.data} />;
  return (
    <PageWaiting
      title={t('Product Settings')}
      entity={t('settings')}
      description={DESCRIPTION}
      error={found.error}
      onRetry={() => void found.refetch()}
    />
  );
}

function Editing({ product }: { product: Product }) {
  const { product: chosen } = useScope();
  const cache = useQueryClient();
  const params = { id: product.id };
  const edited = useEdited({
    place: `product_settings/${product.id}`,
    what: t('Product Settings'),
    found: product,
    draftOf: settingsOf,
    form: SETTINGS_DRAFT,
    shared: { reread: () => call(products.get, { params }), describe: describeSettings },
    onStored: (now) => cacheProduct(cache, now),
  });
  const { stored: saved, draft, changed, setDraft, took, guard } = edited;
  const [deleting, setDeleting] = useState(false);
  const saving = useCall(products.replace);
  const llm = useEndpoint(readLlmSettings, { query: { company_id: product.company_id } });
  useLogged(llm.error, 'Failed to load LLM settings');
  const defaults = llm.error && !llm.data ? UNKNOWN_DEFAULTS : defaultModels(llm.data);
  const models = llm.data?.models ?? FALLBACK_MODELS;
  const faults = faultsOf(draft);
  const onLeave = useOnLeave(draft);
  const shownFaults = faults.filter((fault) => faultsOf(onLeave.left).includes(fault));
  const canSave = changed && faults.length === 0 && !saving.isPending;
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
      if (error instanceof Conflict) {
        saving.reset();
        return false;
      }
      const isGone = error instanceof NoProduct || (await isNoLongerThere(error, saved.id));
      toast.error(isGone ? t('Please select a product first') : t('Failed to save settings. Please try again.'));
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
      took(await call(products.replace, { params, body, ifMatch: tagOf(saved) }));
    } catch (error) {
      // What somebody else saved meanwhile stands on the page before it is asked about again.
      void cache.invalidateQueries({ queryKey: keyOf(products.get, { params }) });
      throw error;
    }
    toast.success(t('Configuration deleted successfully! Product is now using system defaults.'));
  };

  const view = settingsView(saved.id);
  useInView(view, { value: draft, put: setDraft, took });
  const undo = (before: Settings, left: Settings) => settingsUndo(saved, before, left);

  usePageContext({
    description: DESCRIPTION,
    summary: JSON.stringify({
      product: { id: saved.id, name: saved.name },
      unsaved: changed,
      faults,
      settings: draft,
      defaults,
      models,
    }),
    ...settingsTools({
      settings: draft,
      saved: settingsOf(saved),
      defaults,
      obstacle: canSave ? null : (faults[0] ?? t('Nothing has changed.')),
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
            // Apart from Save and quiet: what it takes away is said, in red, by its dialog.
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
            {...(faults[0] === undefined ? {} : { title: t(faults[0]) })}
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
      {shownFaults.length > 0 && (
        <Alert color="red" role="alert" icon={<IconAlertCircle />} title={t('Validation Error')} mb="md">
          {shownFaults.map((fault) => (
            <div key={fault}>{t(fault)}</div>
          ))}
        </Alert>
      )}
      <Tabs
        value={initialTab(tab)}
        onChange={(chosen) => setView({ tab: chosen })}
        keepMounted={false}
        onBlurCapture={onLeave.leave}
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
              isNameless={shownFaults.includes(NAMELESS)}
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

/** The product was put aside while its settings stood here. */
class NoProduct extends Error {}

/** Whether a refusal came because the product itself is gone: deleted by somebody else, or out of reach. */
async function isNoLongerThere(refusal: unknown, id: number): Promise<boolean> {
  if (!(refusal instanceof ApiError) || refusal.status !== 404) return false;
  const again = await call(products.get, { params: { id } }).catch((error: unknown) => error);
  return again instanceof ApiError && again.status === 404;
}
