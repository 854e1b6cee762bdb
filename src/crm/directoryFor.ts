/** The account's pipelines and fields: kept for an hour, read anew when a step turns up that is not among them. */
import type { Ground } from '../platform/ground.ts';
import { type Read, readDirectory } from './amocrm/api.ts';
import { type Directory, stepName } from './directory.ts';
import { findAccount, saveDirectory } from './store/accounts.ts';

/** The directory as kept, or read now when there is none, it is old, or `fresh` is asked for. */
export async function currentDirectory(ground: Ground, integrationId: number, fresh = false): Promise<Read<Directory>> {
  const account = await findAccount(ground.reader, integrationId);
  if (!fresh && account?.directory && !account.directory_old) return { kind: 'read', value: account.directory };
  const read = await readDirectory(ground, integrationId);
  if (read.kind === 'read') await saveDirectory(ground.reader, integrationId, read.value);
  return read;
}

/** The directory, with this step in it if the account has it at all. */
export async function directoryFor(
  ground: Ground,
  integrationId: number,
  pipelineId: number,
  stepId: number,
): Promise<Read<Directory>> {
  const account = await findAccount(ground.reader, integrationId);
  if (account?.directory && stepName(account.directory, pipelineId, stepId) !== null)
    return { kind: 'read', value: account.directory };
  return currentDirectory(ground, integrationId, true);
}
