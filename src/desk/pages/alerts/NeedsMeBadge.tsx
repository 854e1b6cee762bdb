import { t } from '../../../ui/i18n.ts';
import classes from './alerts.module.css';
import { useNeedsMeCount } from './useNeedsMeCount.ts';

const MOST_SHOWN = 99;

/** How many leads need the operator, in the side menu. Shows nothing if none does. */
export default function NeedsMeBadge() {
  const count = useNeedsMeCount();
  if (count === 0) return null;
  return (
    <span className={classes.badge} title={t('{{count}} need you', { count })}>
      {count > MOST_SHOWN ? `${MOST_SHOWN}+` : count}
    </span>
  );
}
