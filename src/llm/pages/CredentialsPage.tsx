import { Code } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop, IconPlugConnected } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { llmVendorNames, llmVendors } from '../../products/contract.ts';
import type { Column } from '../../ui/columns.ts';
import type { Filter } from '../../ui/filter.ts';
import type { Field, Option } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { keyOf, useCall } from '../../ui/query.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import { useScope } from '../../ui/scope.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { toast } from '../../ui/toast.ts';
import { YesNo, yesNoFilter } from '../../ui/YesNo.tsx';
import { type CompanyLlm, companyLlms } from '../contract.ts';
import { testCredential } from '../settingsContract.ts';
import { BudgetButtons, SpentBadge } from './BudgetButtons.tsx';
import { credentialTools } from './credentialTools.ts';

const vendorOptions = (): Option[] => llmVendors.map((vendor) => ({ value: vendor, label: llmVendorNames[vendor] }));
const nameOf = (llm: CompanyLlm): string => `${llmVendorNames[llm.vendor]} ${llm.credentials.api_key}`;

/** The selected company's keys for the vendors of language models. */
export default function CredentialsPage() {
  const { company, operator } = useScope();
  const testing = useCall(testCredential);
  const test = (llm: CompanyLlm) =>
    testing.mutate(
      { params: { id: llm.id } },
      {
        onSuccess: ({ ok, reason, model, ms }) => {
          if (ok) toast.success(t('{{name}} works: {{model}} answered in {{ms}} ms', { name: nameOf(llm), model, ms }));
          else
            toast.error(t('{{name}} does not work. {{reason}}', { name: nameOf(llm), reason: reason ?? '' }), {
              duration: 0,
            });
        },
        onError: toast.failure,
      },
    );
  const cache = useQueryClient();
  const change = useCall(companyLlms.replace);
  const columns = useMemo(credentialColumns, []);
  const toggle = (llm: CompanyLlm) =>
    change.mutate(
      { params: { id: llm.id }, body: { is_active: !llm.is_active } },
      {
        onSuccess: (saved) => {
          toast.success(
            saved.is_active
              ? t('{{name}} is active', { name: nameOf(saved) })
              : t('{{name}} is off', { name: nameOf(saved) }),
          );
          void cache.invalidateQueries({ queryKey: keyOf(companyLlms.list) });
        },
        onError: toast.failure,
      },
    );
  return (
    <ResourcePage
      crud={companyLlms}
      title={t('LLM Credentials')}
      singular={t('LLM credential')}
      description={t("The chosen company's keys for language models; one is active for each vendor.")}
      columns={columns}
      filters={credentialFilters()}
      fixedQuery={{ company_id: company?.id }}
      nameOf={nameOf}
      form={{
        crud: companyLlms,
        fields: credentialFields,
        preset: { company_id: company?.id, vendor: 'chatgpt', is_active: true },
      }}
      removal={{ crud: companyLlms, cascadeCounts: async (llm) => consequence(llm) }}
      assistantFields={({ vendor, is_active, config }) => ({
        name: llmVendorNames[vendor],
        vendor,
        is_active,
        address: config.base_url,
      })}
      assistant={credentialTools()}
      aside={company && <SpentBadge companyId={company.id} />}
      buttons={company && <BudgetButtons companyId={company.id} admin={operator.role === 'admin'} />}
      actions={(llm) => [
        { label: t('Test'), icon: IconPlugConnected, run: () => test(llm) },
        llm.is_active
          ? { label: t('Switch off'), icon: IconPlayerStop, run: () => toggle(llm) }
          : { label: t('Activate'), icon: IconPlayerPlay, run: () => toggle(llm) },
      ]}
    />
  );
}

/** Describe what deleting the key means for the bot, as a sentence; null if nothing. */
function consequence(llm: CompanyLlm): string | null {
  if (!llm.is_active) return null;
  return t('This key is active: nothing that uses {{vendor}} works until another key is active.', {
    vendor: llmVendorNames[llm.vendor],
  });
}

function credentialColumns(): Column<CompanyLlm>[] {
  return [
    {
      key: 'vendor',
      label: t('Vendor'),
      sort: 'vendor',
      primary: true,
      span: 1.5,
      render: (llm) => llmVendorNames[llm.vendor],
    },
    { key: 'api_key', label: t('API key'), span: 1.25, render: (llm) => <Code>{llm.credentials.api_key}</Code> },
    {
      key: 'base_url',
      label: t('Address'),
      span: 2.5,
      render: (llm) => llm.config.base_url ?? t("The vendor's own"),
    },
    {
      key: 'is_active',
      label: t('State'),
      sort: 'is_active',
      span: 1.25,
      render: (llm) => <YesNo value={llm.is_active} yes={t('Active')} no={t('Inactive')} />,
    },
    { key: 'id', label: t('ID'), sort: 'id', number: true, span: 1, hiddenByDefault: true, render: (llm) => llm.id },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.25,
      render: (llm) => <Timestamp iso={llm.created_at} />,
    },
  ];
}

function credentialFilters(): Filter[] {
  return [
    { kind: 'options', name: 'vendor', label: t('Vendor'), options: vendorOptions() },
    yesNoFilter({ name: 'is_active', label: t('State'), yes: t('Active'), no: t('Inactive') }),
  ];
}

function credentialFields(llm: CompanyLlm | null): Field[] {
  const key: Field = {
    kind: 'text',
    name: 'credentials.api_key',
    label: t('API key'),
    required: true,
    ...(llm === null
      ? {}
      : { description: t('Leave unchanged to keep the stored key. If you change the address, enter the key again.') }),
  };
  const rest: Field[] = [
    key,
    {
      kind: 'text',
      name: 'config.base_url',
      label: t('Address'),
      placeholder: 'https://',
      description: t('Only for your own OpenAI-compatible server. If empty, the vendor’s address is used.'),
    },
    {
      kind: 'boolean',
      name: 'is_active',
      label: t('Active'),
      description: t('One key for each vendor can be active.'),
    },
  ];
  if (llm !== null) return rest;
  return [
    { kind: 'hidden', name: 'company_id', label: t('Company') },
    { kind: 'select', name: 'vendor', label: t('Vendor'), options: vendorOptions(), required: true },
    ...rest,
  ];
}
