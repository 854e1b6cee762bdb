/** The settings of the chosen product: models, outreach, general. */
import { Alert, Badge, Box, Button, Select, Skeleton, Stack, Switch, Tabs, Text, TextInput } from '@mantine/core';
import { IconAlertCircle, IconDeviceFloppy, IconRestore, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call } from '../../kit/api.ts';
import { ConfirmDialog } from '../../kit/ConfirmDialog.tsx';
import { useEdited } from '../../kit/edited.ts';
import { Failure } from '../../kit/Failure.tsx';
import { useLeaveGuard } from '../../kit/leaveGuard.tsx';
import { NumberField } from '../../kit/NumberField.tsx';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { useAnew, useCall, useEndpoint, useLogged } from '../../kit/query.ts';
import { Section } from '../../kit/Section.tsx';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import { useInView } from '../../kit/undo.ts';
import { zoneOptions } from '../../kit/zones.ts';
import { FALLBACK_MODELS, readLlmSettings } from '../../llm/settingsContract.ts';
import { Consequences } from '../../outreach/pages/consequences.tsx';
import { type Product, products } from '../contract.ts';
import { ModelsTab } from './ModelsTab.tsx';
import { OutreachTab } from './OutreachTab.tsx';
import {
  defaultModels,
  faultsOf,
  initialTab,
  isCustom,
  modelOf,
  NO_CONFIG,
  outreachChange,
  purposes,
  type Settings,
  settingsOf,
  withExpiry,
} from './settings.ts';
import { settingsTools } from './settingsTools.ts';
import { bodyOf, cacheProduct, settingsUndo, settingsView } from './settingsUndo.ts';

export default function ProductSettingsPage() {
  const { product: chosen } = useScope();
  const found = useAnew(products.get, { params: { id: chosen?.id ?? 0 } }, { enabled: chosen !== null });
  if (found.data) return <Editing key={found.data.id} product={found.data} />;
  return (
    <PageFrame title={t('Product Settings')}>
      {found.error ? (
        <Failure error={found.error} onRetry={() => found.refetch()} />
      ) : (
        <Skeleton height="20rem" aria-label={t('Loading {{entity}}...', { entity: t('settings') })} />
      )}
    </PageFrame>
  );
}

function Editing({ product }: { product: Product }) {
  const { product: chosen } = useScope();
  const cache = useQueryClient();
  const edited = useEdited(product, settingsOf);
  const { stored: saved, draft, changed, setDraft } = edited;
  const [deleting, setDeleting] = useState(false);
  const saving = useCall(products.replace);
  const llm = useEndpoint(readLlmSettings, { query: { company_id: product.company_id } });
  useLogged(llm.error, 'Failed to load LLM settings');
  const defaults = defaultModels(llm.data);
  const models = llm.data?.models ?? FALLBACK_MODELS;
  const faults = faultsOf(draft);
  const canSave = changed && faults.length === 0 && !saving.isPending;
  const guard = useLeaveGuard(changed);
  const { tab } = usePage().params;
  const consequences = <Consequences productId={saved.id} proposal={outreachChange(settingsOf(saved), draft)} />;

  const took = (now: Product) => {
    edited.took(now);
    cacheProduct(cache, now);
  };
  const save = async (): Promise<boolean> => {
    try {
      if (chosen === null) throw new NoProduct();
      took(await saving.mutateAsync({ params: { id: saved.id }, body: bodyOf(draft, saved) }));
      toast.success(t('Settings saved successfully!'));
      return true;
    } catch (error) {
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
    const now = await call(products.replace, {
      params: { id: saved.id },
      body: bodyOf({ ...settingsOf(saved), config: NO_CONFIG }, saved),
    });
    took(now);
    toast.success(t('Configuration deleted successfully! Product is now using system defaults.'));
    return now;
  };

  const view = settingsView(saved.id);
  useInView(view, { value: draft, put: setDraft, took });
  const undo = (before: Settings, left: Settings) => settingsUndo(saved, before, left);

  usePageContext({
    description: t('Settings of the chosen product: which model does what, first messages and their limits, general.'),
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
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRestore size="1rem" />}
            disabled={!changed || saving.isPending}
            onClick={reset}
          >
            {t('Reset')}
          </Button>
          {isCustom(settingsOf(saved)) && (
            <Button
              size="xs"
              variant="light"
              color="red"
              leftSection={<IconTrash size="1rem" />}
              onClick={() => setDeleting(true)}
            >
              {t('Delete Config')}
            </Button>
          )}
          <Button
            size="xs"
            leftSection={<IconDeviceFloppy size="1rem" />}
            disabled={!canSave}
            loading={saving.isPending}
            onClick={() => void save()}
          >
            {t('Save Settings')}
          </Button>
        </>
      }
    >
      {saving.error && (
        <Box mb="md">
          <Failure error={saving.error} />
        </Box>
      )}
      {faults.length > 0 && (
        <Alert color="red" role="alert" icon={<IconAlertCircle />} title={t('Validation Error')} mb="md">
          {faults.map((fault) => (
            <div key={fault}>{t(fault)}</div>
          ))}
        </Alert>
      )}
      <Tabs defaultValue={initialTab(tab)} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="models">{t('LLM Models')}</Tabs.Tab>
          <Tabs.Tab value="outreach">{t('Outreach')}</Tabs.Tab>
          <Tabs.Tab value="general">{t('General')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="models">
          <Stack gap="md">
            {llm.error && purposes.some((purpose) => !modelOf(draft, defaults, purpose).mayChange) && (
              <Failure error={llm.error} what={t('Failed to load the default models')} onRetry={() => llm.refetch()} />
            )}
            <ModelsTab settings={draft} defaults={defaults} awaited={!llm.error} models={models} onChange={setDraft} />
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
            <Section title={t('General')}>
              <Stack gap="sm" maw="var(--rapport-form)">
                <TextInput
                  label={t('Name')}
                  required
                  value={draft.name}
                  error={draft.name.trim() === '' ? t('{{label}} is required', { label: t('Name') }) : null}
                  onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
                />
                <Switch
                  label={t('Active')}
                  description={t('Off: the bot answers nobody and writes to nobody in this product.')}
                  checked={draft.is_active}
                  onChange={(event) => setDraft({ ...draft, is_active: event.currentTarget.checked })}
                />
                <Select
                  label={t('Time zone')}
                  description={t('Daily limits, “Send at”, charts and date filters follow its days and clock.')}
                  data={zoneOptions(draft.timezone)}
                  searchable
                  allowDeselect={false}
                  nothingFoundMessage={t('Nothing found')}
                  value={draft.timezone}
                  onChange={(zone) => zone !== null && setDraft({ ...draft, timezone: zone })}
                />
                {draft.timezone !== saved.timezone && (
                  <Text size="sm" c="dimmed">
                    {t(
                      'Until the days of both time zones are over, the daily limits count them as one day, so that neither is exceeded.',
                    )}
                  </Text>
                )}
                <NumberField
                  label={t('Leads expire after, hours')}
                  description={t('So long after a lead’s last message it moves to stage Ignore. 0: never.')}
                  min={0}
                  max={1_000_000}
                  allowDecimal={false}
                  value={draft.config.lead_expires_in_hours}
                  empty={0}
                  onChange={(hours) => setDraft(withExpiry(draft, hours))}
                />
              </Stack>
            </Section>
            {consequences}
          </Stack>
        </Tabs.Panel>
      </Tabs>
      {deleting && (
        <ConfirmDialog
          title={t('Delete Config')}
          text={t('The product’s own models and messaging go, and it uses the system defaults. First messages stop.')}
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
