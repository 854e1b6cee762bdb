import { Badge, Text } from '@mantine/core';
import { IconKey, IconLogout, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { endOperatorSessions, type Operator, operators, setOperatorPassword } from '../../access/accountContract.ts';
import { PASSWORD_LENGTH, roles } from '../../access/contract.ts';
import { companies } from '../../companies/contract.ts';
import { call } from '../../ui/api.ts';
import type { Column } from '../../ui/columns.ts';
import type { Filter } from '../../ui/filter.ts';
import type { Field } from '../../ui/form.ts';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { optionSource } from '../../ui/optionSource.ts';
import { keyOf } from '../../ui/query.ts';
import { ResourcePage } from '../../ui/ResourcePage.tsx';
import type { RowAction } from '../../ui/RowMenu.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { toast } from '../../ui/toast.ts';
import { useRefresh } from '../../ui/useRefresh.ts';
import { SignInPolicy } from './SignInPolicy.tsx';
import { SystemTabs } from './SystemTabs.tsx';

const FormDialog = lazy(async () => ({ default: (await import('../../ui/FormDialog.tsx')).FormDialog }));
const ConfirmDialog = lazy(async () => ({ default: (await import('../../ui/ConfirmDialog.tsx')).ConfirmDialog }));

const COMPANIES = optionSource({
  resource: companies,
  labelOf: ({ name }) => name,
  query: { order_by: 'name', order: 'asc' },
});

type Doing = { password: Operator } | { sessions: Operator } | { way: Operator } | null;

/** Operators who may sign in, with their roles and companies. */
export function OperatorsTab() {
  const columns = useMemo(operatorColumns, []);
  const [doing, setDoing] = useState<Doing>(null);
  const cache = useQueryClient();
  useRefresh(operators.list);
  const done = (message: string) => {
    toast.success(message);
    void cache.invalidateQueries({ queryKey: keyOf(operators.list) });
  };
  const close = () => setDoing(null);
  return (
    <>
      <ResourcePage
        crud={operators}
        title={t('System')}
        description={t('Operators: who may sign in, as admin or as member of which companies, and when they last did.')}
        columns={columns}
        filters={operatorFilters()}
        above={
          <>
            <SystemTabs />
            <SignInPolicy />
          </>
        }
        nameOf={({ login }) => login}
        form={{ crud: operators, fields: operatorFields, preset: { role: 'member', is_active: true } }}
        actions={(operator) => actionsOf(operator, setDoing)}
        assistantFields={({ role, is_active, companies: memberCompanies, last_sign_in_at, sessions }) => ({
          role,
          is_active,
          companies: memberCompanies.map(({ name }) => name),
          last_sign_in_at,
          sessions,
        })}
      />
      <Suspense>
        {doing && 'password' in doing && (
          <FormDialog
            title={t('New password for {{login}}', { login: doing.password.login })}
            fields={[passwordField(t('Their sessions end; they sign in with the new password.'))]}
            initial={{ password: '' }}
            send={(body) =>
              call(setOperatorPassword, {
                params: { id: doing.password.id },
                body: setOperatorPassword.body.parse(body),
              })
            }
            onDone={() => done(t('{{login}} has a new password', { login: doing.password.login }))}
            onClose={close}
          />
        )}
        {doing && 'sessions' in doing && (
          <ConfirmDialog
            title={t('End sessions')}
            text={t('{{login}} is signed out everywhere and may sign in again.', { login: doing.sessions.login })}
            confirm={t('End sessions')}
            run={() => call(endOperatorSessions, { params: { id: doing.sessions.id } })}
            onDone={() => done(t('{{login}} is signed out everywhere', { login: doing.sessions.login }))}
            onClose={close}
          />
        )}
        {doing && 'way' in doing && <WayIn operator={doing.way} done={done} close={close} />}
      </Suspense>
    </>
  );
}

/** Dialog that disables or enables an operator. */
function WayIn({ operator, done, close }: { operator: Operator; done: (message: string) => void; close: () => void }) {
  const { login, is_active: active, role, company_ids } = operator;
  return (
    <ConfirmDialog
      title={active ? t('Disable') : t('Enable')}
      text={
        active
          ? t('{{login}} is signed out and can no longer sign in.', { login })
          : t('{{login}} can sign in again with the previous password.', { login })
      }
      confirm={active ? t('Disable') : t('Enable')}
      color={active ? 'red' : 'accent'}
      run={() =>
        call(operators.replace, { params: { id: operator.id }, body: { role, company_ids, is_active: !active } })
      }
      onDone={() =>
        done(active ? t('{{login}} can no longer sign in', { login }) : t('{{login}} may sign in', { login }))
      }
      onClose={close}
    />
  );
}

function actionsOf(operator: Operator, open: (doing: Doing) => void): RowAction[] {
  return [
    { label: t('New password'), icon: IconKey, run: () => open({ password: operator }) },
    { label: t('End sessions'), icon: IconLogout, run: () => open({ sessions: operator }) },
    operator.is_active
      ? { label: t('Disable'), icon: IconPlayerPause, run: () => open({ way: operator }), danger: true }
      : { label: t('Enable'), icon: IconPlayerPlay, run: () => open({ way: operator }) },
  ];
}

const ROLES = { admin: 'Admin', member: 'Member' } as const;
const roleOptions = () => roles.map((role) => ({ value: role, label: t(ROLES[role]) }));

function operatorColumns(): Column<Operator>[] {
  return [
    { key: 'login', label: t('Login'), sort: 'login', primary: true, span: 1.8, render: ({ login }) => login },
    { key: 'role', label: t('Role'), span: 1.1, render: ({ role }) => t(ROLES[role]) },
    {
      key: 'companies',
      label: t('Companies'),
      span: 2.2,
      render: ({ role, companies: memberCompanies }) =>
        role === 'admin' ? (
          <Text span inherit c="dimmed">
            {t('all')}
          </Text>
        ) : (
          memberCompanies.map(({ name }) => name).join(', ') || '–'
        ),
    },
    {
      key: 'is_active',
      label: t('State'),
      span: 1.3,
      render: ({ is_active }) =>
        is_active ? <Badge color="green">{t('Active')}</Badge> : <Badge color="gray">{t('Disabled')}</Badge>,
    },
    {
      key: 'last_sign_in_at',
      label: t('Last sign-in'),
      sort: 'last_sign_in_at',
      span: 1.5,
      render: ({ last_sign_in_at }) => <Timestamp iso={last_sign_in_at} />,
    },
    {
      key: 'sessions',
      label: t('Sessions'),
      span: 1.2,
      number: true,
      hiddenByDefault: true,
      render: ({ sessions }) => formatNumber(sessions),
    },
    {
      key: 'created_at',
      label: t('Created'),
      sort: 'created_at',
      span: 1.5,
      hiddenByDefault: true,
      render: ({ created_at }) => <Timestamp iso={created_at} />,
    },
    { key: 'id', label: t('ID'), sort: 'id', span: 1, number: true, hiddenByDefault: true, render: ({ id }) => id },
  ];
}

function passwordField(description: string): Field {
  return {
    kind: 'password',
    name: 'password',
    label: t('Password'),
    required: true,
    description,
    validate: (value) =>
      String(value).length < PASSWORD_LENGTH
        ? t('The password needs at least {{count}} characters', { count: PASSWORD_LENGTH })
        : null,
  };
}

/**
 * Return the fields of the form. Login and password are only set on creation; later the password has its own dialog.
 */
function operatorFields(operator: Operator | null): Field[] {
  const accessFields: Field[] = [
    { kind: 'select', name: 'role', label: t('Role'), options: roleOptions(), required: true },
    {
      kind: 'several',
      name: 'company_ids',
      label: t('Companies'),
      source: COMPANIES,
      // Without one they would see nothing.
      requiredIf: ({ role }) => role === 'member',
      description: t('What a member sees. Admins see all companies.'),
    },
  ];
  if (operator !== null)
    return [
      { kind: 'readonly', name: 'login', label: t('Login') },
      ...accessFields,
      { kind: 'hidden', name: 'is_active', label: '' },
    ];
  return [
    { kind: 'text', name: 'login', label: t('Login'), required: true },
    passwordField(t('Share it with the operator, who can change it under Account.')),
    ...accessFields,
  ];
}

function operatorFilters(): Filter[] {
  return [
    { kind: 'options', name: 'role', label: t('Role'), options: roleOptions() },
    {
      kind: 'options',
      name: 'is_active',
      label: t('State'),
      options: [
        { value: 'true', label: t('Active') },
        { value: 'false', label: t('Disabled') },
      ],
    },
    { kind: 'source', name: 'company_id', label: t('Company'), source: COMPANIES },
  ];
}
