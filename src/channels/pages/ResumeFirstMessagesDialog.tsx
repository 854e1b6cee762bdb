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
        'It stopped by itself: {{reason}}. Make sure that messages arrive again, on a phone of your own: a number that writes to many who never get it may be banned.',
        { reason: channel.firsts_stopped_reason ?? '' },
      )}
      confirm={t('Resume first messages')}
      color="accent"
      run={() => call(resumeFirstMessages, { params: { id: channel.id } })}
      onDone={() => {
        toast.success(t('First messages go again.'));
        void cache.invalidateQueries({ queryKey: keyOf(channels.list) });
      }}
      onClose={onClose}
    />
  );
}
