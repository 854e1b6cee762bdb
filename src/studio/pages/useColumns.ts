/** The models beside each other in the playground: which ones, and whether all can be asked. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { llmVendors, productLlm } from '../../products/contract.ts';
import { useEndpoint } from '../../ui/query.ts';
import type { ColumnStatus, ModelChoice } from './ChatColumn.tsx';
import { type ChatColumnState, createColumn } from './chatColumn.ts';
import type { useImportedConversation } from './ImportedConversation.tsx';

/** Begins with the product's model, or with the one that gave the answer that is brought along. */
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
    lanes: columns,
    pending,
    /** Each is connected, has a model and owes no answer. */
    ready: connected && !pending && columns.every((column) => column.choice.model !== null),
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
