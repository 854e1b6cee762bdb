/** Where toasts appear. Those shown before it is loaded appear then. */
import '@mantine/notifications/styles.layer.css';
import { Notifications } from '@mantine/notifications';
import classes from './Toasts.module.css';

export default function Toasts() {
  return (
    <Notifications
      position="bottom-right"
      limit={4}
      transitionDuration={150}
      classNames={{ root: classes.toasts ?? '' }}
    />
  );
}
