/** The dialog that moves a lead to another stage. */
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../../ui/api.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { type Field, valuesOf } from '../../../ui/form.ts';
import { t } from '../../../ui/i18n.ts';
import { toast } from '../../../ui/toast.ts';
import { changeLeadStage, type Lead } from '../../contract.ts';
import { cacheLead } from './leadTools.ts';
import { stageLabel, stageOptions } from './stage.tsx';

export function StageDialog({ lead, onClose }: { lead: Lead; onClose: () => void }) {
  const cache = useQueryClient();
  return (
    <FormDialog
      title={t('Change stage')}
      fields={stageFields()}
      initial={valuesOf(stageFields(), null, { new_stage: lead.stage, update_in_crm: true })}
      submitLabel={t('Change stage')}
      send={(body) => call(changeLeadStage, { params: { id: lead.id }, query: changeLeadStage.query.parse(body) })}
      onDone={(changed) => {
        toast.success(t('Stage changed to {{stage}}', { stage: stageLabel(changed.stage) }));
        cacheLead(cache, changed);
      }}
      onClose={onClose}
    />
  );
}

function stageFields(): Field[] {
  return [
    { kind: 'select', name: 'new_stage', label: t('Stage'), options: stageOptions(), required: true },
    {
      kind: 'boolean',
      name: 'update_in_crm',
      label: t('Update in CRM'),
      description: t("Moves the lead's card to the step mapped to this stage."),
    },
  ];
}
