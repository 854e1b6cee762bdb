import type { AppContext } from '../platform/appContext.ts';
import { commonRefusals, refuse } from '../platform/refuse.ts';
import type { Dialogue } from './contract.ts';
import { dialoguesByIds } from './store/views.ts';

/** Return the dialogue as the API shows it. Throws `not_found`. */
export async function readDialogueOrRefuse(context: AppContext, id: number): Promise<Dialogue> {
  const [dialogue] = await dialoguesByIds(context.pool, [id]);
  if (!dialogue) throw refuse(commonRefusals, 'not_found', { noun: 'dialogue' });
  return dialogue;
}
