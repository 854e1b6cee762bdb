/** Channels and accounts whose company an admin must choose. */
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeOwnership } from '../../channels/ownershipContract.ts';
import { companies } from '../../companies/contract.ts';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { optionSource } from '../../ui/optionSource.ts';
import { keyOf } from '../../ui/query.ts';
import { ReferenceSelect } from '../../ui/ReferenceSelect.tsx';
import { Section } from '../../ui/Section.tsx';
import { toast } from '../../ui/toast.ts';
import { readSystemHealth, type SystemHealth } from '../contract.ts';
import { LevelBadge } from './level.tsx';
import classes from './system.module.css';

type Open = SystemHealth['without_owner'][number];

const COMPANIES = optionSource({
  resource: companies,
  labelOf: ({ name }) => name,
  query: { order_by: 'name', order: 'asc' },
});

export function WithoutOwner({ open }: { open: readonly Open[] }) {
  return (
    <Section title={t('Channels without an owner')}>
      <Text size="xs" c="dimmed" mb="xs">
        {t(
          'Choose the company that each belongs to. Until then only admins and companies with a linked product can use it.',
        )}
      </Text>
      <ul className={classes.rows}>
        {open.map((one) => (
          <Row key={`${one.kind} ${one.channel_id}`} one={one} />
        ))}
      </ul>
    </Section>
  );
}

function Row({ one }: { one: Open }) {
  const cache = useQueryClient();
  const [company, setCompany] = useState('');
  const name = one.kind === 'account' ? t('Account {{name}}', { name: `${one.vendor} ${one.name}` }) : one.name;
  const choosing = useMutation({
    mutationFn: (chosen: number) =>
      call(changeOwnership, {
        params: { id: one.channel_id },
        body: one.kind === 'account' ? { account_company_id: chosen } : { company_id: chosen },
      }),
    onSuccess: () => {
      toast.success(t('Saved the owner of {{name}}', { name }));
      return cache.invalidateQueries({ queryKey: keyOf(readSystemHealth) });
    },
  });
  return (
    <li className={classes.row}>
      <span>{name}</span>
      <LevelBadge level={one.level} />
      <div className={classes.note}>{one.used_by.map(usedBy).join('; ') || t('Not used by any company')}</div>
      <Group gap="xs" wrap="nowrap" w="100%" py="xs">
        <ReferenceSelect
          aria-label={t('Company that owns {{name}}', { name })}
          placeholder={t('Company')}
          size="xs"
          flex={1}
          source={COMPANIES}
          value={company}
          onChange={setCompany}
        />
        <Button
          size="xs"
          loading={choosing.isPending}
          disabled={company === ''}
          onClick={() => choosing.mutate(Number(company))}
        >
          {t('Set owner')}
        </Button>
      </Group>
      {choosing.error && <Failure error={choosing.error} />}
    </li>
  );
}

function usedBy({ company_name, products, dialogues }: Open['used_by'][number]): string {
  return t('{{company}}: {{products}}, {{dialogues}}', {
    company: company_name,
    products: t('{{count}} products', { count: products, defaultValue_one: '{{count}} product' }),
    dialogues: t('{{count}} dialogues', { count: dialogues, defaultValue_one: '{{count}} dialogue' }),
  });
}
