import { Button, Group, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { z } from 'zod';
import { call } from '../../kit/api.ts';
import { Failure } from '../../kit/Failure.tsx';
import { FORM_END, FormFields } from '../../kit/FormFields.tsx';
import { fillTool, useFormInView } from '../../kit/fillTool.ts';
import { type FormValues, valuesOf } from '../../kit/form.ts';
import { PageFrame } from '../../kit/PageFrame.tsx';
import { usePage } from '../../kit/page.ts';
import { usePageContext } from '../../kit/pageContext.ts';
import { pageTools } from '../../kit/pageTool.ts';
import { keyOf } from '../../kit/query.ts';
import { useScope } from '../../kit/scope.ts';
import { t } from '../../kit/t.ts';
import { toast } from '../../kit/toast.ts';
import type { Draft, InView } from '../../kit/undo.ts';
import { useKeptForm } from '../../kit/useKeptForm.tsx';
import { useSubmit } from '../../kit/useSubmit.ts';
import { leads } from '../contract.ts';
import { leadFields, newLead } from './leadForm.ts';

const { name, timezone, crm_id } = leads.create.body.shape;
const FILLED = z.strictObject({
  name: name.optional(),
  timezone: timezone.unwrap().unwrap().optional().describe('IANA name'),
  crm_id: crm_id.unwrap().unwrap().optional(),
});

const view: InView<Draft<FormValues>> = { now: null };

/** The form of a new lead of the chosen product. */
export function LeadCreate() {
  const page = usePage();
  const cache = useQueryClient();
  const { product } = useScope();
  const [fields] = useState(() => leadFields(null));
  const [initial] = useState(() => valuesOf(fields, null, newLead(product?.id ?? 0)));
  const { form, guard, notice } = useKeptForm({
    place: `lead/new/${product?.id ?? ''}`,
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
  useFormInView(view, form, FILLED);
  usePageContext({
    description: t('The form of a new lead of the chosen product.'),
    summary: JSON.stringify({ product: product && { id: product.id, name: product.name }, form: form.values }),
    ...pageTools(
      fillTool({
        name: 'fill_in_lead',
        description: t('Puts values into the form; what is left out stays. The lead is not created by that.'),
        input: FILLED,
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
