import { queryOf } from '../../../ui/query.ts';
import { readThread } from '../../contract.ts';

export const PAGE_SIZE = 50;

/**
 * Return the query of the messages that a thread opens with, which is requested before the code of its page is there.
 *
 * @param target the message to load with those around it; null: the newest ones.
 */
export const firstPage = (dialogueId: number, target: number | null) =>
  queryOf(readThread, {
    params: { id: dialogueId },
    query: { limit: PAGE_SIZE, ...(target === null ? {} : { around: target }) },
  });
