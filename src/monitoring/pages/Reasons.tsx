import { Badge, Button, Group, Text } from '@mantine/core';
import type { FailureReason } from '../../outbox/deliveryFailureContract.ts';
import { formatNumber } from '../../ui/format.ts';
import { t } from '../../ui/i18n.ts';
import { usePage } from '../../ui/page.ts';
import { stateWords } from './deliveryFailureWords.ts';
import classes from './system.module.css';

/** Reasons of the listed delivery failures, the most frequent first. Each one filters the list. */
export function Reasons({ items }: { items: readonly FailureReason[] }) {
  const { params, setParams } = usePage();
  const chosen = params['reason_key'];
  if (items.length === 0) return null;
  return (
    <div className={classes.above} role="group" aria-label={t('Reasons')}>
      {items.map((reason) => (
        <Group key={`${reason.state} ${reason.reason_key} ${reason.error_code}`} gap="xs" wrap="nowrap">
          <Badge variant="default" className={classes.count}>
            {formatNumber(reason.count)}
          </Badge>
          <Button
            size="compact-xs"
            variant="subtle"
            className={classes.reason}
            classNames={{ label: classes.words }}
            aria-pressed={chosen === reason.reason_key}
            onClick={() =>
              setParams({ reason_key: chosen === reason.reason_key ? null : reason.reason_key, list_page: null })
            }
          >
            {reasonLabel(reason)}
          </Button>
          <Text size="xs" c="dimmed" visibleFrom="sm">
            {t(stateWords[reason.state])}
          </Text>
        </Group>
      ))}
    </div>
  );
}

/** Label a reason in the vendor's own words. */
export function reasonLabel({ reason, error_code: code }: FailureReason): string {
  const words = reason ?? t('no reason given');
  return code === null ? words : `${words} (${code})`;
}
