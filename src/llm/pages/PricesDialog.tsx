/** Edits the model prices, grouped by vendor. */
import { ActionIcon, Button, Fieldset, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type LlmVendor, llmVendorNames, llmVendors } from '../../products/contract.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { NumberField } from '../../ui/NumberField.tsx';
import { keyOf, useCall, useEndpoint } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { type Price, readBudget, readPrices, writePrices } from '../budgetContract.ts';
import { readSpending } from '../costContract.ts';
import classes from './prices.module.css';

interface PricesDialogProps {
  /** Other operators can only view the prices. */
  admin: boolean;
  onClose: () => void;
}

export function PricesDialog({ admin, onClose }: PricesDialogProps) {
  const cache = useQueryClient();
  const found = useEndpoint(readPrices, {}, { staleTime: 0 });
  const saving = useCall(writePrices);
  const [draft, setDraft] = useState<readonly Price[] | null>(null);
  const rows = draft ?? found.data?.items ?? [];
  const save = () =>
    saving.mutate(
      { body: { items: rows.filter((row) => row.model.trim() !== '').map((row) => ({ ...row })) } },
      {
        onSuccess: (now) => {
          cache.setQueryData(keyOf(readPrices, {}), now);
          void cache.invalidateQueries({ queryKey: keyOf(readBudget) });
          void cache.invalidateQueries({ queryKey: keyOf(readSpending) });
          toast.success(t('Prices saved'));
          onClose();
        },
      },
    );
  return (
    <Modal opened onClose={onClose} size="lg" title={t('Model prices')} closeButtonProps={{ 'aria-label': t('Close') }}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t(
            'US dollars per million tokens. A name applies to all models that begin with it, unless they have their own price.',
          )}
        </Text>
        {found.error && <Failure error={found.error} onRetry={() => found.refetch()} />}
        {found.data &&
          llmVendors.map((vendor) => (
            <VendorPrices key={vendor} vendor={vendor} rows={rows} admin={admin} onChange={setDraft} />
          ))}
        {saving.error && <Failure error={saving.error} />}
        {admin && (
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('Cancel')}
            </Button>
            <Button disabled={draft === null} loading={saving.isPending} onClick={save}>
              {t('Save')}
            </Button>
          </Group>
        )}
      </Stack>
    </Modal>
  );
}

interface VendorPricesProps {
  vendor: LlmVendor;
  /** The prices of all vendors. */
  rows: readonly Price[];
  admin: boolean;
  onChange: (rows: readonly Price[]) => void;
}

function VendorPrices({ vendor, rows, admin, onChange }: VendorPricesProps) {
  return (
    <Fieldset variant="unstyled" legend={llmVendorNames[vendor]}>
      <Stack gap="xs">
        {rows.some((row) => row.vendor === vendor) && (
          <div className={classes.row} aria-hidden>
            {[t('Model'), t('In'), t('Out')].map((head) => (
              <Text key={head} size="xs" c="dimmed">
                {head}
              </Text>
            ))}
          </div>
        )}
        {rows.map((row, at) =>
          row.vendor !== vendor ? null : (
            <PriceRow
              // Rows have no name of their own until they are saved.
              key={at}
              row={row}
              admin={admin}
              onChange={(next) => onChange(rows.with(at, { ...row, ...next }))}
              onRemove={() => onChange(rows.toSpliced(at, 1))}
            />
          ),
        )}
        {admin && (
          <Button
            size="compact-sm"
            variant="subtle"
            className={classes.add}
            leftSection={<IconPlus size="1rem" />}
            onClick={() => onChange([...rows, { vendor, model: '', input_per_million: 0, output_per_million: 0 }])}
          >
            {t('Add a price for {{vendor}}', { vendor: llmVendorNames[vendor] })}
          </Button>
        )}
      </Stack>
    </Fieldset>
  );
}

interface PriceRowProps {
  row: Price;
  admin: boolean;
  onChange: (next: Partial<Price>) => void;
  onRemove: () => void;
}

function PriceRow({ row, admin, onChange, onRemove }: PriceRowProps) {
  const model = row.model === '' ? t('new') : row.model;
  const price = (key: 'input_per_million' | 'output_per_million', label: string) => (
    <NumberField
      size="xs"
      aria-label={label}
      disabled={!admin}
      min={0}
      max={100_000}
      hideControls
      value={row[key]}
      empty={0}
      onChange={(value) => onChange({ [key]: value })}
    />
  );
  return (
    <div className={classes.row}>
      <TextInput
        size="xs"
        aria-label={t('Model {{model}}', { model })}
        placeholder={t('gpt-4o')}
        disabled={!admin}
        autoFocus={row.model === ''}
        value={row.model}
        onChange={(event) => onChange({ model: event.currentTarget.value })}
      />
      {price('input_per_million', t('In, {{model}}', { model }))}
      {price('output_per_million', t('Out, {{model}}', { model }))}
      {admin && (
        <ActionIcon variant="subtle" color="gray" aria-label={t('Remove {{model}}', { model })} onClick={onRemove}>
          <IconTrash size="1rem" />
        </ActionIcon>
      )}
    </div>
  );
}
