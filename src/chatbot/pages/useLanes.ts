/** The models beside each other in the playground: which ones, and whether all can be asked. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useEndpoint } from '../../kit/query.ts';
import { llmVendors, productLlm } from '../../products/contract.ts';
import type { useBroughtTalk } from './BroughtTalk.tsx';
import type { LaneChoice, LaneStatus } from './ChatLane.tsx';
import { type Lane, newLane } from './lane.ts';

/** Begins with the product's model, or with the one that gave the answer that is brought along. */
export function useLanes(productId: number, { messageId, read, talk }: ReturnType<typeof useBroughtTalk>) {
  const info = useEndpoint(productLlm, { params: { id: productId } });
  const [lanes, setLanes] = useState<readonly Lane[]>([]);
  const [statuses, setStatuses] = useState<Readonly<Record<string, LaneStatus>>>({});
  const isComing = messageId !== null && read.isPending;
  const first = useMemo((): LaneChoice | null => {
    if (!info.data || isComing) return null;
    const { vendor, model, temperature } = info.data;
    const of = talk?.model_name ? { vendor: talk.model_vendor, model: talk.model_name } : { vendor, model };
    return { vendor: llmVendors.find((one) => one === of.vendor) ?? 'chatgpt', model: of.model, temperature };
  }, [info.data, isComing, talk]);
  useEffect(() => {
    if (first) setLanes((now) => (now.length === 0 ? [newLane(first)] : now));
  }, [first]);
  const onStatus = useCallback(
    (id: string, status: LaneStatus) => setStatuses((now) => ({ ...now, [id]: status })),
    [],
  );
  const isPending = (lane: Lane) => statuses[lane.id]?.pending === true;
  const pending = lanes.some(isPending);
  const connected = lanes.length > 0 && lanes.every((lane) => statuses[lane.id]?.state === 'connected');
  return {
    lanes,
    pending,
    /** Each is connected, has a model and owes no answer. */
    ready: connected && !pending && lanes.every((lane) => lane.choice.model !== null),
    onStatus,
    add: () =>
      setLanes((now) => [...now, newLane(now.at(-1)?.choice ?? { vendor: 'chatgpt', model: null, temperature: 0.7 })]),
    choose: (id: string, choice: LaneChoice) =>
      setLanes((now) => now.map((one) => (one.id === id ? { ...one, choice } : one))),
    remove: (id: string) => setLanes((now) => now.filter((one) => one.id !== id)),
    clear: () => {
      for (const lane of lanes) lane.handle.current?.clear();
    },
    stop: () => {
      for (const lane of lanes) if (isPending(lane)) lane.handle.current?.stop();
    },
  };
}
