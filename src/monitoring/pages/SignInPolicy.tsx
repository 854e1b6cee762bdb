import { Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { changeSignInPolicy, readSignInPolicy } from '../../access/secondFactorContract.ts';
import { call } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import { keyOf, useEndpoint } from '../../ui/query.ts';
import { useSteady } from '../../ui/steady.tsx';
import { toast } from '../../ui/toast.ts';

/** Switch that requires a second factor from everybody who signs in. */
export function SignInPolicy() {
  const cache = useQueryClient();
  const { data } = useEndpoint(readSignInPolicy, {});
  const changing = useMutation({
    mutationFn: (required: boolean) => call(changeSignInPolicy, { body: { second_factor_required: required } }),
    onSuccess: ({ second_factor_required: required }) => {
      toast.success(required ? t('A second factor is now required') : t('A second factor is now optional'));
      void cache.invalidateQueries({ queryKey: keyOf(readSignInPolicy) });
    },
    onError: (error) => toast.failure(error),
  });
  const steady = useSteady(data === undefined || changing.isPending);
  return (
    <Switch
      px="md"
      pt="md"
      label={t('Require two-factor sign-in')}
      description={t('Operators without a second factor have to add one before they can do anything else.')}
      checked={data?.second_factor_required ?? false}
      {...steady}
      onChange={(event) => changing.mutate(event.currentTarget.checked)}
    />
  );
}
