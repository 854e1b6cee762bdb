import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../ui/api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { t } from '../../ui/i18n.ts';
import { keyOf } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { type Channel, channels, resumeFirstMessages } from '../contract.ts';

/** Resume the first messages of a channel that stopped them automatically. */
export function ResumeFirstMessagesDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  const cache = useQueryClient();
  return (
    <ConfirmDialog
      title={t('Resume first messages of {{name}}', { name: channel.name })}
      text={t(
        'Stopped automatically: {{reason}}. Check with your own phone that messages arrive first. Numbers whose messages often fail may be banned.',
        { reason: channel.firsts_stopped_reason ?? '' },
      )}
      confirm={t('Resume first messages')}
      color="accent"
      run={() => call(resumeFirstMessages, { params: { id: channel.id } })}
      onDone={() => {
        toast.success(t('First messages resumed.'));
        void cache.invalidateQueries({ queryKey: keyOf(channels.list) });
      }}
      onClose={onClose}
    />
  );
}
