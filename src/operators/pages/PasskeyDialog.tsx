/** Adds a passkey: its name, then the browser's own dialog. */
import { call } from '../../kit/api.ts';
import { FormDialog } from '../../kit/FormDialog.tsx';
import { t } from '../../kit/t.ts';
import { addPasskey, startPasskey } from '../secondFactorContract.ts';
import { makePasskey } from './passkey.ts';

interface PasskeyDialogProps {
  /** Gets recovery codes where these are the first. */
  onAdded: (codes: readonly string[] | null) => void;
  onClose: () => void;
}

export default function PasskeyDialog({ onAdded, onClose }: PasskeyDialogProps) {
  return (
    <FormDialog
      title={t('Add passkey')}
      fields={[
        {
          kind: 'text',
          name: 'name',
          label: t('Name'),
          required: true,
          description: t('By which you tell it from your other passkeys.'),
        },
      ]}
      initial={{ name: t('This device') }}
      submitLabel={t('Add passkey')}
      send={async ({ name }) => {
        const passkey = await makePasskey(await call(startPasskey));
        return call(addPasskey, { body: { name: String(name), passkey } });
      }}
      onDone={({ recovery_codes }) => onAdded(recovery_codes)}
      onClose={onClose}
    />
  );
}
