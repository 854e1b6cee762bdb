import { useEffect, useImperativeHandle, useState } from 'react';
import { type ChatSocket, useChatSocket } from '../../ui/chatSocket.ts';
import { chunk, MAX_HISTORY_MESSAGES } from '../playgroundContract.ts';
import {
  appendChunk,
  type ChatTurn,
  type ColumnHandle,
  type ColumnMessage,
  type ColumnStatus,
  type ModelChoice,
  toTurn,
} from './chatColumn.ts';

export interface ModelChatOptions {
  id: string;
  productId: number;
  /** The conversation imported from a dialogue, which this column continues. */
  importedTurns: readonly ChatTurn[];
  choice: ModelChoice;
  onStatus: (id: string, status: ColumnStatus) => void;
  handle: React.Ref<ColumnHandle>;
}

interface ModelChat {
  readonly messages: readonly ColumnMessage[];
  /** The model has not finished its answer. */
  readonly pending: boolean;
  readonly socket: ChatSocket;
}

/** Keep the conversation of one column over its socket. */
export function useModelChat({ id, productId, importedTurns, choice, onStatus, handle }: ModelChatOptions): ModelChat {
  const [messages, setMessages] = useState<readonly ColumnMessage[]>([]);
  const [pending, setPending] = useState(false);
  const reset = () => {
    setMessages([]);
    setPending(false);
  };
  const socket = useChatSocket(`/v1/llm/ws/chat/simple?chat_id=${id}&product_id=${productId}`, {
    onFrame: (frame) => {
      const one = chunk.parse(frame);
      setMessages((previous) => appendChunk(previous, one));
      if (one.is_finished) setPending(false);
    },
    onUnreadable: () => setPending(false),
    onReconnected: reset,
  });
  const { state, send, retry } = socket;
  const isEmpty = messages.length === 0;
  useEffect(() => onStatus(id, { state, pending, isEmpty }), [id, state, pending, isEmpty, onStatus]);
  useEffect(() => {
    if (state === 'disconnected') setPending(false);
  }, [state]);
  const ask = (content: string, frame: Record<string, unknown>, previous: readonly ColumnMessage[]) => {
    const { model, temperature } = choice;
    // The server does not know the imported turns, and after a reconnect none of the others either.
    const history =
      importedTurns.length === 0 ? null : [...importedTurns, ...previous.flatMap(toTurn)].slice(-MAX_HISTORY_MESSAGES);
    if (!send({ ...frame, content, model_name: model, temperature, history })) return false;
    setMessages([...previous, { from: 'operator', text: content, usage: null, failed: false }]);
    setPending(true);
    return true;
  };
  useImperativeHandle(handle, () => ({
    ask: (content, frame) => ask(content, frame, messages),
    askAgain: (content, frame) => ask(content, frame, []),
    stop: () => void send({ stop: true }),
    clear: () => {
      reset();
      // Reconnect: the server keeps the history only as long as the socket.
      retry();
    },
  }));
  return { messages, pending, socket };
}
