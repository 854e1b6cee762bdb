/** Read the account's pipelines and fields: cached for an hour, and read again when an unknown step appears. */
import type { AppContext } from '../platform/appContext.ts';
import { type ReadResult, readDirectory } from './amocrm/api.ts';
import { type Directory, stepName } from './directory.ts';
import { findAccount, saveDirectory } from './store/accounts.ts';
import { replaceSkippedNames } from './store/skipped.ts';

/** Return the cached directory, or read it if there is none, it is old, or `fresh` is requested. */
export async function readCurrentDirectory(
  context: AppContext,
  integrationId: number,
  fresh = false,
): Promise<ReadResult<Directory>> {
  const account = await findAccount(context.reader, integrationId);
  if (!fresh && account?.directory && !account.directory_old) return { kind: 'read', value: account.directory };
  const read = await readDirectory(context, integrationId);
  if (read.kind !== 'read') return read;
  const { directory, unreadable } = read.value;
  await context.transact(async (tx) => {
    await saveDirectory(tx, integrationId, directory);
    await replaceSkippedNames(tx, integrationId, unreadable);
  });
  return { kind: 'read', value: directory };
}

/** Return the directory, with this step in it if the account has it at all. */
export async function readDirectoryWithStep(
  context: AppContext,
  { integrationId, pipelineId, stepId }: { integrationId: number; pipelineId: number; stepId: number },
): Promise<ReadResult<Directory>> {
  const account = await findAccount(context.reader, integrationId);
  if (account?.directory && stepName(account.directory, pipelineId, stepId) !== null)
    return { kind: 'read', value: account.directory };
  return readCurrentDirectory(context, integrationId, true);
}
