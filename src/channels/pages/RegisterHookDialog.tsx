import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call } from '../../ui/api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { t } from '../../ui/i18n.ts';
import { keyOf } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { type Channel, type channelRefusals, channels } from '../contract.ts';
import { registerHook } from '../hookContract.ts';
import { vendorLabel } from './channelDisplay.tsx';

/** The refusal after which the operator may retry with `replace`. */
const REGISTERED_ELSEWHERE: keyof typeof channelRefusals = 'channel.hook_elsewhere';

/** Register our webhook for a channel; take the registration over from another system if the operator confirms. */
export function RegisterHookDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const cache = useQueryClient();
  const [elsewhere, setElsewhere] = useState(false);
  const vendor = vendorLabel(channel.vendor);
  const register = async () => {
    try {
      return await call(registerHook, { params: { id: channel.id }, query: { replace: elsewhere } });
    } catch (error) {
      setElsewhere(error instanceof ApiError && error.code === REGISTERED_ELSEWHERE);
      throw error;
    }
  };
  return (
    <ConfirmDialog
      title={t('Register webhook of {{name}}', { name: channel.name })}
      text={t(
        '{{vendor}} will send messages and statuses of this channel to Rapport. One address serves all channels with the same key.',
        { vendor },
      )}
      confirm={elsewhere ? t('Take it over') : t('Register webhook')}
      color={elsewhere ? 'red' : 'accent'}
      run={register}
      onDone={({ message }) => {
        toast.success(message);
        void cache.invalidateQueries({ queryKey: keyOf(channels.list) });
      }}
      onClose={onClose}
    />
  );
}
