import { Code } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop, IconPlugConnected, IconRestore } from '@tabler/icons-react';
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
import { yesNoFilter } from '../../ui/YesNo.tsx';
import { type CompanyLlm, companyLlms } from '../contract.ts';
import { resetRefused, testCredential } from '../settingsContract.ts';
import { BudgetButtons, SpentBadge } from './BudgetButtons.tsx';
import { CredentialState } from './CredentialState.tsx';
import { credentialTools } from './credentialTools.ts';

const vendorOptions = (): Option[] => llmVendors.map((vendor) => ({ value: vendor, label: llmVendorNames[vendor] }));
const nameOf = (llm: CompanyLlm): string => `${llmVendorNames[llm.vendor]} ${llm.credentials.api_key}`;

/** The selected company's keys for the vendors of language models. */
export default function CredentialsPage() {
  const { company, operator } = useScope();
  const columns = useMemo(credentialColumns, []);
  const { test, reset, toggle } = useCredentialActions();
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
        onSaved: (llm) => {
          if (llm.is_active && llm.test === null) test(llm);
        },
      }}
      removal={{ crud: companyLlms, cascadeCounts: async (llm) => consequence(llm) }}
      assistantFields={({ vendor, is_active, config, test, refused }) => ({
        name: llmVendorNames[vendor],
        vendor,
        is_active,
        address: config.base_url,
        test,
        refused,
      })}
      assistant={credentialTools()}
      aside={company && <SpentBadge companyId={company.id} />}
      buttons={company && <BudgetButtons companyId={company.id} admin={operator.role === 'admin'} />}
      actions={(llm) => [
        { label: t('Test'), icon: IconPlugConnected, run: () => test(llm) },
        llm.is_active
          ? { label: t('Switch off'), icon: IconPlayerStop, run: () => toggle(llm) }
          : { label: t('Activate'), icon: IconPlayerPlay, run: () => toggle(llm) },
        ...(Object.keys(llm.refused).length === 0
          ? []
          : [{ label: t('Send everything again'), icon: IconRestore, run: () => reset(llm) }]),
      ]}
    />
  );
}

/** What a row's menu does with its key. */
function useCredentialActions() {
  const cache = useQueryClient();
  const refresh = () => void cache.invalidateQueries({ queryKey: keyOf(companyLlms.list) });
  const testing = useCall(testCredential);
  const resetting = useCall(resetRefused);
  const test = (llm: CompanyLlm) =>
    testing.mutate(
      { params: { id: llm.id } },
      {
        onSuccess: ({ ok, reason, parts }) => {
          refresh();
          const name = nameOf(llm);
          if (!ok)
            toast.error(t('{{name}} does not work. {{reason}}', { name, reason: reason ?? '' }), { duration: 0 });
          else {
            const findings = parts.map(({ sentence }) => sentence).join(' ');
            toast.success(t('{{name}} works. {{findings}}', { name, findings }), { duration: 0 });
          }
        },
        onError: toast.failure,
      },
    );
  const reset = (llm: CompanyLlm) =>
    resetting.mutate(
      { params: { id: llm.id } },
      {
        onSuccess: () => {
          refresh();
          toast.success(t('Everything is sent again with {{name}}', { name: nameOf(llm) }));
        },
        onError: toast.failure,
      },
    );
  const change = useCall(companyLlms.replace);
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
          refresh();
          if (saved.is_active && saved.test === null) test(saved);
        },
        onError: toast.failure,
      },
    );
  return { test, reset, toggle };
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
      key: 'is_active',
      label: t('State'),
      sort: 'is_active',
      span: 3,
      render: (llm) => <CredentialState llm={llm} />,
    },
    {
      key: 'base_url',
      label: t('Address'),
      span: 2.5,
      render: (llm) => llm.config.base_url ?? t("The vendor's own"),
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
