import { Button, Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { FORM_END, FormFields } from '../../ui/FormFields.tsx';
import { fillFormTool, useFormViewRef } from '../../ui/fillFormTool.ts';
import { type FormValues, valuesOf } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { PageFrame } from '../../ui/PageFrame.tsx';
import { usePage } from '../../ui/page.ts';
import { usePageContext } from '../../ui/pageContext.ts';
import { pageTools } from '../../ui/pageTool.ts';
import { keyOf } from '../../ui/query.ts';
import { useScope } from '../../ui/scope.ts';
import { toast } from '../../ui/toast.ts';
import type { Draft, ViewRef } from '../../ui/undo.ts';
import { usePersistedForm } from '../../ui/usePersistedForm.tsx';
import { useSubmit } from '../../ui/useSubmit.ts';
import { leads } from '../contract.ts';
import { leadFields, newLead } from './leadForm.ts';

const { name, timezone, crm_id } = leads.create.body.shape;
const FILL_INPUT = z.strictObject({
  name: name.optional(),
  timezone: timezone.unwrap().unwrap().optional().describe('IANA name'),
  crm_id: crm_id.unwrap().unwrap().optional(),
});

const view: ViewRef<Draft<FormValues>> = { current: null };

/** The form of a new lead of the selected product. */
export function LeadCreate() {
  const page = usePage();
  const cache = useQueryClient();
  const { product } = useScope();
  const [fields] = useState(() => leadFields(null));
  const [initial] = useState(() => valuesOf(fields, null, newLead(product?.id ?? 0)));
  const { form, guard, notice } = usePersistedForm({
    draftKey: `lead/new/${product?.id ?? ''}`,
    what: t('New lead'),
    fields,
    initial,
  });
  const sending = useSubmit(
    form,
    (body) => call(leads.create, { body: leads.create.body.parse(body) }),
    (lead) => {
      guard.release();
      toast.success(t('Created {{name}}', { name: lead.name }));
      void cache.invalidateQueries({ queryKey: keyOf(leads.list) });
      page.go('lead-detail', { leadId: lead.id }, { replace: true });
    },
  );
  const back = () => page.back('crm-leads');
  useFormViewRef(view, form, FILL_INPUT);
  usePageContext({
    description: t('The form of a new lead of the chosen product.'),
    summary: JSON.stringify({ product: product && { id: product.id, name: product.name }, form: form.values }),
    ...pageTools(
      fillFormTool({
        name: 'fill_in_lead',
        description: t('Fills in the form; omitted fields keep their values. Does not create the lead.'),
        input: FILL_INPUT,
        view,
      }),
    ),
  });
  return (
    <PageFrame title={t('New lead')} onBack={back}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          sending.submit();
        }}
      >
        <Stack gap="md" maw="var(--rapport-form)">
          {notice}
          <FormFields form={form} />
          {sending.error && <Failure error={sending.error} />}
          <Group justify="flex-end" {...FORM_END}>
            <Button variant="default" onClick={back}>
              {t('Cancel')}
            </Button>
            <Button type="submit" loading={sending.pending}>
              {t('Create')}
            </Button>
          </Group>
        </Stack>
      </form>
      {guard.question}
    </PageFrame>
  );
}
