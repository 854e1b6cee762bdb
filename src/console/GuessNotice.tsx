import { Text } from '@mantine/core';
import { readSecondFactors } from '../access/secondFactorContract.ts';
import { t } from '../ui/i18n.ts';
import { PageLink } from '../ui/PageLink.tsx';
import { useEndpoint } from '../ui/query.ts';
import classes from './BudgetNotice.module.css';

/**
 * Banner above every page for an operator whose second factor was guessed at, until they change the password or dismiss
 * the notice on the account page.
 */
export default function GuessNotice() {
  const { data } = useEndpoint(readSecondFactors, {});
  if (!data?.wrong_codes) return null;
  return (
    <aside className={classes.notice} data-state="spent" aria-label={t('Account security')}>
      <Text size="sm" span>
        <PageLink to="account">{t('Your password may be known to somebody else')}</PageLink>
      </Text>
    </aside>
  );
}
