/** Short messages in the corner: success, error and info. */
import { notifications } from '@mantine/notifications';
import { createElement } from 'react';
import { ApiError } from './api.ts';
import { t } from './i18n.ts';
import { UndoMessage } from './UndoMessage.tsx';

const DURATION_MS = 4000;
/** Long enough to notice a key that was pressed by mistake. */
const UNDO_MS = 10_000;

interface ToastOptions {
  /** Milliseconds; 0 keeps the toast until it is closed. */
  duration?: number;
}

type Kind = 'success' | 'error' | 'info';
const COLOR: Readonly<Record<Kind, string>> = { success: 'green', error: 'red', info: 'accent' };

function show({
  kind,
  message,
  options = {},
  title,
}: {
  kind: Kind;
  message: string;
  options?: ToastOptions | undefined;
  title?: string | undefined;
}): void {
  const duration = options.duration ?? DURATION_MS;
  notifications.show({
    // A repeated message reuses its toast and restarts its timer.
    id: `${kind} ${title ?? ''} ${message}`,
    ...(title === undefined ? {} : { title }),
    message,
    color: COLOR[kind],
    autoClose: duration === 0 ? false : duration,
    role: kind === 'error' ? 'alert' : 'status',
    closeButtonProps: { 'aria-label': t('Close') },
  });
}

let undoToast: string | null = null;

export const toast = {
  success: (text: string, options?: ToastOptions) => show({ kind: 'success', message: text, options }),
  error: (text: string, options?: ToastOptions) => show({ kind: 'error', message: text, options }),
  info: (text: string, options?: ToastOptions) => show({ kind: 'info', message: text, options }),
  /** Shows a change with its undo, in place of the change before. A failed undo is shown. */
  undoable: (text: string, undo: () => Promise<unknown>) => {
    // One at a time: the key undoes the latest change.
    if (undoToast !== null) notifications.hide(undoToast);
    const run = () => {
      notifications.hide(id);
      undo().catch(toast.failure);
    };
    const id = notifications.show({
      message: createElement(UndoMessage, { text, undo: run }),
      color: COLOR.success,
      autoClose: UNDO_MS,
      role: 'status',
      closeButtonProps: { 'aria-label': t('Close') },
    });
    undoToast = id;
  },
  /** Shows a failed call: 'Backend error …' with the server's message below. A 401 is skipped because it redirects. */
  failure: (error: unknown) => {
    if (!(error instanceof ApiError))
      return show({ kind: 'error', message: error instanceof Error ? error.message : String(error) });
    if (error.status === 401) return;
    show({ kind: 'error', message: error.sentence ?? '', options: {}, title: error.title });
  },
};
