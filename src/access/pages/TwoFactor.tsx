/** The operator's own second factors: the authenticator app, passkeys, recovery codes. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { keyOf, useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { toast } from '../../ui/toast.ts';
import {
  readSecondFactors,
  removeAuthenticator,
  removePasskey,
  renewRecoveryCodes,
  type SecondFactors,
} from '../secondFactorContract.ts';
import classes from './account.module.css';
import { passkeysArePossible } from './passkey.ts';
import { WrongCodes } from './WrongCodes.tsx';

const AuthenticatorDialog = lazy(() => import('./AuthenticatorDialog.tsx'));
const PasskeyDialog = lazy(() => import('./PasskeyDialog.tsx'));
const RecoveryCodes = lazy(() => import('./RecoveryCodes.tsx'));
const ConfirmDialog = lazy(async () => ({ default: (await import('../../ui/ConfirmDialog.tsx')).ConfirmDialog }));

type Removing = { authenticator: true } | { passkey: number; name: string };

/** Section for two-factor sign-in. `onAdded` is called once a factor was added and its recovery codes were seen. */
export function TwoFactor({ onAdded }: { onAdded?: () => void }) {
  const { data, error, refetch } = useEndpoint(readSecondFactors, {});
  const [adding, setAdding] = useState<'authenticator' | 'passkey' | null>(null);
  const [removing, setRemoving] = useState<Removing | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const refreshFactors = useRefreshFactors();
  const added = (newCodes: readonly string[] | null) => {
    setAdding(null);
    toast.success(t('Second factor added'));
    void refreshFactors();
    if (newCodes === null) onAdded?.();
    else setCodes(newCodes);
  };
  return (
    <Section title={t('Two-factor sign-in')}>
      {error && <Failure error={error} onRetry={() => refetch()} />}
      {data === undefined && !error && (
        <Text size="sm" c="dimmed" role="status">
          {t('Loading {{entity}}...', { entity: t('second factors') })}
        </Text>
      )}
      {data?.wrong_codes && <WrongCodes codes={data.wrong_codes} />}
      {data && (
        <div className={classes.rows}>
          <Authenticator
            factors={data}
            add={() => setAdding('authenticator')}
            remove={() => setRemoving({ authenticator: true })}
          />
          <Passkeys factors={data} add={() => setAdding('passkey')} remove={setRemoving} />
          <RecoveryCodesRow factors={data} onRenewed={setCodes} />
        </div>
      )}
      <Suspense>
        {adding === 'authenticator' && <AuthenticatorDialog onAdded={added} onClose={() => setAdding(null)} />}
        {adding === 'passkey' && <PasskeyDialog onAdded={added} onClose={() => setAdding(null)} />}
        {codes && (
          <RecoveryCodes
            codes={codes}
            onClose={() => {
              setCodes(null);
              onAdded?.();
            }}
          />
        )}
        {removing && <RemoveDialog removing={removing} onClose={() => setRemoving(null)} />}
      </Suspense>
    </Section>
  );
}

function useRefreshFactors() {
  const cache = useQueryClient();
  return () => cache.invalidateQueries({ queryKey: keyOf(readSecondFactors) });
}

function RemoveDialog({ removing, onClose }: { removing: Removing; onClose: () => void }) {
  const refreshFactors = useRefreshFactors();
  const passkey = 'passkey' in removing ? removing : null;
  return (
    <ConfirmDialog
      title={passkey ? t('Remove passkey') : t('Remove authenticator app')}
      text={
        passkey
          ? t('You will no longer be able to sign in with “{{name}}”.', { name: passkey.name })
          : t('You will no longer be able to sign in with its codes.')
      }
      confirm={t('Remove')}
      color="red"
      run={() => (passkey ? call(removePasskey, { params: { passkey: passkey.passkey } }) : call(removeAuthenticator))}
      onDone={() => void refreshFactors()}
      onClose={onClose}
    />
  );
}

interface RecoveryCodesRowProps {
  factors: SecondFactors;
  onRenewed: (codes: readonly string[]) => void;
}

function RecoveryCodesRow({ factors, onRenewed }: RecoveryCodesRowProps) {
  const refreshFactors = useRefreshFactors();
  const renewing = useMutation({
    mutationFn: () => call(renewRecoveryCodes),
    onSuccess: ({ recovery_codes }) => {
      onRenewed(recovery_codes);
      void refreshFactors();
    },
    onError: (failure) => toast.failure(failure),
  });
  if (factors.authenticator === null && factors.passkeys.length === 0) return null;
  return (
    <div className={classes.row}>
      <div>
        <Text fw={500}>{t('Recovery codes')}</Text>
        <Text size="sm" c="dimmed">
          {t('{{count}} codes are left.', {
            count: factors.recovery_codes,
            defaultValue_one: '{{count}} code is left.',
          })}{' '}
          {t('New codes replace them.')}
        </Text>
      </div>
      <Button variant="default" loading={renewing.isPending} onClick={() => renewing.mutate()}>
        {t('Create new recovery codes')}
      </Button>
    </div>
  );
}

function Authenticator({ factors, add, remove }: { factors: SecondFactors; add: () => void; remove: () => void }) {
  const { authenticator } = factors;
  return (
    <div className={classes.row}>
      <div>
        <Group gap="xs">
          <Text fw={500}>{t('Authenticator app')}</Text>
          {authenticator && <Badge color="green">{t('On')}</Badge>}
        </Group>
        <Text size="sm" c="dimmed">
          {authenticator ? (
            <>
              {t('Added')} <Timestamp iso={authenticator.confirmed_at} />
            </>
          ) : (
            t('A code from an app on your phone, new every 30 seconds.')
          )}
        </Text>
      </div>
      {authenticator ? (
        <Button variant="default" onClick={remove}>
          {t('Remove')}
        </Button>
      ) : (
        <Button variant="default" onClick={add}>
          {t('Set up authenticator app')}
        </Button>
      )}
    </div>
  );
}

function Passkeys({
  factors: { passkeys },
  add,
  remove,
}: {
  factors: SecondFactors;
  add: () => void;
  remove: (passkey: Removing) => void;
}) {
  const possible = passkeysArePossible();
  return (
    <>
      <div className={classes.row}>
        <div>
          <Text fw={500}>{t('Passkeys')}</Text>
          <Text size="sm" c="dimmed">
            {possible
              ? t('Sign in with your fingerprint, face, screen lock or a security key.')
              : t('Passkeys only work when the console is opened by host name, not by IP address.')}
          </Text>
        </div>
        <Button variant="default" disabled={!possible} onClick={add}>
          {t('Add passkey')}
        </Button>
      </div>
      {passkeys.length > 0 && (
        <Stack gap="xs" component="ul" m={0} p={0}>
          {passkeys.map(({ id, name, created_at, last_used_at }) => (
            <li key={id} className={classes.row}>
              <div>
                <Text size="sm">{name}</Text>
                <Text size="sm" c="dimmed">
                  {t('Added')} <Timestamp iso={created_at} />
                  {last_used_at !== null && (
                    <>
                      {', '}
                      {t('last used')} <Timestamp iso={last_used_at} />
                    </>
                  )}
                </Text>
              </div>
              <Button
                variant="default"
                size="compact-sm"
                aria-label={t('Remove {{name}}', { name })}
                onClick={() => remove({ passkey: id, name })}
              >
                {t('Remove')}
              </Button>
            </li>
          ))}
        </Stack>
      )}
    </>
  );
}
