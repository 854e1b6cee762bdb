/** The playground's columns: their models, and whether all are ready for a question. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { llmVendors, productLlm } from '../../products/contract.ts';
import { useEndpoint } from '../../ui/query.ts';
import { type ChatColumnState, type ColumnStatus, createColumn, type ModelChoice } from './chatColumn.ts';
import type { useImportedConversation } from './ImportedConversation.tsx';

/** Start with the product's model, or with the model of the imported reply. */
export function useColumns(productId: number, { messageId, read, talk }: ReturnType<typeof useImportedConversation>) {
  const info = useEndpoint(productLlm, { params: { id: productId } });
  const [columns, setColumns] = useState<readonly ChatColumnState[]>([]);
  const [statuses, setStatuses] = useState<Readonly<Record<string, ColumnStatus>>>({});
  const isLoading = messageId !== null && read.isPending;
  const first = useMemo((): ModelChoice | null => {
    if (!info.data || isLoading) return null;
    const { vendor, model, temperature } = info.data;
    const source = talk?.model_name ? { vendor: talk.model_vendor, model: talk.model_name } : { vendor, model };
    return { vendor: llmVendors.find((one) => one === source.vendor) ?? 'chatgpt', model: source.model, temperature };
  }, [info.data, isLoading, talk]);
  useEffect(() => {
    if (first) setColumns((current) => (current.length === 0 ? [createColumn(first)] : current));
  }, [first]);
  const onStatus = useCallback(
    (id: string, status: ColumnStatus) => setStatuses((current) => ({ ...current, [id]: status })),
    [],
  );
  const isPending = (column: ChatColumnState) => statuses[column.id]?.pending === true;
  const pending = columns.some(isPending);
  const connected = columns.length > 0 && columns.every((column) => statuses[column.id]?.state === 'connected');
  return {
    columns,
    pending,
    /** Whether each column is connected, has a model and is not waiting for an answer. */
    ready: connected && !pending && columns.every((column) => column.choice.model !== null),
    /** Whether nothing was said yet: in one column, or in all. */
    isEmpty: (id?: string) => columns.every((one) => (id ?? one.id) !== one.id || statuses[one.id]?.isEmpty !== false),
    onStatus,
    add: () =>
      setColumns((current) => [
        ...current,
        createColumn(current.at(-1)?.choice ?? { vendor: 'chatgpt', model: null, temperature: 0.7 }),
      ]),
    choose: (id: string, choice: ModelChoice) =>
      setColumns((current) => current.map((one) => (one.id === id ? { ...one, choice } : one))),
    remove: (id: string) => setColumns((current) => current.filter((one) => one.id !== id)),
    clear: () => {
      for (const column of columns) column.handle.current?.clear();
    },
    stop: () => {
      for (const column of columns) if (isPending(column)) column.handle.current?.stop();
    },
  };
}
