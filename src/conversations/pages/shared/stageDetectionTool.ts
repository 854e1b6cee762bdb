/** Turning stage detection on, by the operator and by the assistant. */
import { prompts, promptsInUse } from '../../../prompts/contract.ts';
import { call } from '../../../ui/api.ts';
import { t } from '../../../ui/i18n.ts';
import { NO_ARGUMENTS, pageTool, type ToolWithHandler } from '../../../ui/pageTool.ts';
import { keyOf, queryClient } from '../../../ui/query.ts';
import { classificationConfigs } from '../../classificationConfigContract.ts';
import { readDialogueClassification } from '../../classificationContract.ts';
import { turnOnStageDetection } from '../../stageDetectionContract.ts';

/** What changes when stage detection is turned on. */
const CHANGED = [classificationConfigs.list, prompts.list, promptsInUse, readDialogueClassification];

/** Refetch what shows whether stage detection is on. */
export const refreshStageDetection = () =>
  Promise.all(CHANGED.map((one) => queryClient.invalidateQueries({ queryKey: keyOf(one) })));

/** Return the assistant's tool that turns a product's stage detection on. */
export function stageDetectionTool(productId: number): ToolWithHandler {
  return pageTool({
    name: 'turn_on_stage_detection',
    description: t(
      'Turns on stage detection of the chosen product with ready-made prompts: models then find out which leads agree, decline or need time.',
    ),
    input: NO_ARGUMENTS,
    confirm: true,
    irreversible: t('The prompts that it creates stay. To turn it off, delete its configuration.'),
    run: async () => {
      try {
        const { id } = await call(turnOnStageDetection, { params: { id: productId } });
        return { status: 'on', configuration_id: id };
      } finally {
        // Another operator may have turned it on at the same time.
        await refreshStageDetection();
      }
    },
  });
}
