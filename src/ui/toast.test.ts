import { notificationsStore } from '@mantine/notifications';
import { expect, test } from 'vitest';
import { toast } from './toast.ts';

test('closes a notification after 4000 ms unless configured, and never with 0', () => {
  toast.success('By default');
  toast.error('For a second', { duration: 1000 });
  toast.info('Until closed', { duration: 0 });
  const { notifications, queue } = notificationsStore.getState();
  expect([...notifications, ...queue].map(({ message, autoClose }) => [message, autoClose])).toEqual([
    ['By default', 4000],
    ['For a second', 1000],
    ['Until closed', false],
  ]);
});
