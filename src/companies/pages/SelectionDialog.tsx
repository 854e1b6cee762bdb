/** Dialog 'Select company & product', which sets the scope of the whole console. */
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMemo, useState } from 'react';
import { products } from '../../products/contract.ts';
import { t } from '../../ui/i18n.ts';
import { optionSource } from '../../ui/optionSource.ts';
import { ReferenceSelect } from '../../ui/ReferenceSelect.tsx';
import { companies } from '../contract.ts';
import type { Choice } from './productSelection.ts';

interface SelectionDialogProps {
  /** Initial values of the fields. */
  choice: Choice;
  onCancel: () => void;
  onChoose: (companyId: number, productId: number) => void;
}

const BY_NAME = { order_by: 'name', order: 'asc' };
const COMPANIES = optionSource({ resource: companies, labelOf: (company) => company.name, query: BY_NAME });

export default function SelectionDialog(form: SelectionDialogProps) {
  return (
    <Modal
      opened
      onClose={form.onCancel}
      title={t('Select company & product')}
      closeButtonProps={{ 'aria-label': t('Close') }}
      centered
    >
      <SelectionForm {...form} />
    </Modal>
  );
}

function SelectionForm({ choice, onCancel, onChoose }: SelectionDialogProps) {
  const [company, setCompany] = useState(String(choice.companyId ?? ''));
  const [product, setProduct] = useState(String(choice.productId ?? ''));
  const productsOfCompany = useMemo(
    () =>
      optionSource({
        resource: products,
        labelOf: (one) => one.name,
        query: { ...BY_NAME, company_id: company === '' ? null : [Number(company)] },
      }),
    [company],
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (company !== '' && product !== '') onChoose(Number(company), Number(product));
      }}
    >
      <Stack gap="md">
        <ReferenceSelect
          label={t('Company')}
          placeholder={t('Pick a company')}
          source={COMPANIES}
          value={company}
          onChange={(value) => {
            setCompany(value);
            setProduct('');
          }}
          openOnFocus={false}
          data-autofocus={choice.companyId === null || undefined}
        />
        <ReferenceSelect
          // A new key per company resets the field: what was typed or found for another company does not apply.
          key={company}
          label={t('Product')}
          placeholder={company === '' ? t('Pick a company first') : t('Pick a product')}
          source={productsOfCompany}
          value={product}
          onChange={setProduct}
          disabled={company === ''}
          openOnFocus={false}
          data-autofocus={choice.companyId !== null || undefined}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {t('Cancel')}
          </Button>
          <Button type="submit" disabled={company === '' || product === ''}>
            {t('OK')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
