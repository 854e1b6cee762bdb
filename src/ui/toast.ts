/** Short messages in the corner: success, error and info. */
import { notifications } from '@mantine/notifications';
import { ApiError } from './api.ts';
import { t } from './i18n.ts';

const DURATION_MS = 4000;

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

export const toast = {
  success: (text: string, options?: ToastOptions) => show({ kind: 'success', message: text, options }),
  error: (text: string, options?: ToastOptions) => show({ kind: 'error', message: text, options }),
  info: (text: string, options?: ToastOptions) => show({ kind: 'info', message: text, options }),
  /** Shows a failed call: 'Backend error …' with the server's message below. A 401 is skipped because it redirects. */
  failure: (error: unknown) => {
    if (!(error instanceof ApiError))
      return show({ kind: 'error', message: error instanceof Error ? error.message : String(error) });
    if (error.status === 401) return;
    show({ kind: 'error', message: error.sentence ?? '', options: {}, title: error.title });
  },
};
