/** Notice on the account page: somebody who knows the password has tried many codes. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { keyOf } from '../../ui/query.ts';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { toast } from '../../ui/toast.ts';
import { dismissWrongCodes, readSecondFactors, type SecondFactors } from '../secondFactorContract.ts';

const OwnPassword = lazy(() => import('./OwnPassword.tsx'));

export function WrongCodes({ codes }: { codes: NonNullable<SecondFactors['wrong_codes']> }) {
  const [changing, setChanging] = useState(false);
  const cache = useQueryClient();
  const refresh = () => void cache.invalidateQueries({ queryKey: keyOf(readSecondFactors) });
  const dismissing = useMutation({
    mutationFn: () => call(dismissWrongCodes),
    onSuccess: refresh,
    onError: (failure) => toast.failure(failure),
  });
  return (
    <Alert color="red" title={t('Your password may be known to somebody else')} mb="md">
      <Text size="sm">
        {t('{{count}} wrong codes were entered after your password', { count: codes.count })} (
        <Timestamp iso={codes.first_at} />
        {' – '}
        <Timestamp iso={codes.last_at} />
        {codes.last_network !== null && <>, {t('last from {{network}}', { network: codes.last_network })}</>}).{' '}
        {t('If it was not you, change your password.')}
      </Text>
      <Group gap="sm" mt="sm">
        <Button size="compact-sm" onClick={() => setChanging(true)}>
          {t('Change password')}
        </Button>
        <Button size="compact-sm" variant="default" loading={dismissing.isPending} onClick={() => dismissing.mutate()}>
          {t('It was me')}
        </Button>
      </Group>
      <Suspense>
        {changing && (
          <OwnPassword
            onClose={() => {
              setChanging(false);
              refresh();
            }}
          />
        )}
      </Suspense>
    </Alert>
  );
}
