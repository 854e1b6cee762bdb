/** Dialog in which operators change their own password. */
import { call } from '../../ui/api.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import type { Field } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { toast } from '../../ui/toast.ts';
import { changeOwnPassword } from '../accountContract.ts';
import { PASSWORD_LENGTH } from '../contract.ts';

export default function OwnPassword({ onClose }: { onClose: () => void }) {
  return (
    <FormDialog
      title={t('Change password')}
      fields={fields()}
      initial={{ current: '', password: '' }}
      submitLabel={t('Change')}
      send={(body) => call(changeOwnPassword, { body: changeOwnPassword.body.parse(body) })}
      onDone={() => toast.success(t('Password changed. Your other sessions have ended.'))}
      onClose={onClose}
    />
  );
}

function fields(): Field[] {
  return [
    { kind: 'password', name: 'current', label: t('Current password'), required: true },
    {
      kind: 'password',
      name: 'password',
      label: t('New password'),
      description: t('At least {{count}} characters.', { count: PASSWORD_LENGTH }),
      required: true,
      validate: (value) =>
        String(value).length < PASSWORD_LENGTH
          ? t('The password needs at least {{count}} characters', { count: PASSWORD_LENGTH })
          : null,
    },
  ];
}
