/** The dialogs for the actions on a lead. */
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../ui/api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { DeleteDialog } from '../../ui/DeleteDialog.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { valuesOf } from '../../ui/form.ts';
import { t } from '../../ui/i18n.ts';
import { usePage } from '../../ui/page.ts';
import { keyOf } from '../../ui/query.ts';
import { toast } from '../../ui/toast.ts';
import { deactivateLead, type Lead, leads } from '../contract.ts';
import { leadCascadeCounts } from './cascadeCounts.ts';
import { leadFields } from './leadForm.ts';
import { cacheLead } from './shared/leadTools.ts';
import { StageDialog } from './shared/StageDialog.tsx';

export type LeadAction = 'edit' | 'stage' | 'deactivate' | 'delete';

interface LeadDialogsProps {
  lead: Lead;
  action: LeadAction;
  onClose: () => void;
}

export function LeadDialogs({ lead, action, onClose }: LeadDialogsProps) {
  const page = usePage();
  const cache = useQueryClient();
  const params = { id: lead.id };
  const onChanged = (changed: Lead, message: string) => {
    toast.success(message);
    cacheLead(cache, changed);
  };
  switch (action) {
    case 'edit':
      return (
        <FormDialog
          title={t('Edit {{noun}}', { noun: t(leads.resource) })}
          fields={leadFields(lead)}
          initial={valuesOf(leadFields(lead), lead)}
          reload={async () => valuesOf(leadFields(lead), await call(leads.get, { params }))}
          send={(body) => call(leads.replace, { params, body: leads.replace.body.parse(body) })}
          onDone={(changed) => onChanged(changed, t('Saved {{name}}', { name: changed.name }))}
          onClose={onClose}
          draftKey={`lead/${lead.id}`}
        />
      );
    case 'stage':
      return <StageDialog lead={lead} onClose={onClose} />;
    case 'deactivate':
      return (
        <ConfirmDialog
          title={t('Deactivate {{name}}?', { name: lead.name })}
          text={t('The bot stops writing to this lead, and its scheduled messages are cancelled.')}
          confirm={t('Deactivate')}
          run={() => call(deactivateLead, { params })}
          onDone={(changed) => onChanged(changed, t('Deactivated {{name}}', { name: changed.name }))}
          onClose={onClose}
        />
      );
    case 'delete':
      return (
        <DeleteDialog
          what={t('the {{noun}} “{{name}}”', { noun: t(leads.resource), name: lead.name })}
          remove={() => call(leads.remove, { params })}
          cascadeCounts={() => leadCascadeCounts(lead)}
          onDone={() => {
            toast.success(t('Deleted {{name}}', { name: lead.name }));
            void cache.invalidateQueries({ queryKey: keyOf(leads.list) });
            page.go('crm-leads', {}, { replace: true });
          }}
          onClose={onClose}
        />
      );
    default:
      return action satisfies never;
  }
}
