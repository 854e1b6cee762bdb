import { Badge, Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../ui/api.ts';
import { Failure } from '../../ui/Failure.tsx';
import { t } from '../../ui/i18n.ts';
import { keyOf, useEndpoint } from '../../ui/query.ts';
import { Section } from '../../ui/Section.tsx';
import { Timestamp } from '../../ui/Timestamp.tsx';
import { toast } from '../../ui/toast.ts';
import { endOtherSessions, endOwnSession, listOwnSessions } from '../secondFactorContract.ts';
import classes from './account.module.css';

/** The operator's open sessions, with buttons to end them. */
export function OwnSessions() {
  const cache = useQueryClient();
  const { data, error, refetch } = useEndpoint(listOwnSessions, {});
  const ending = useMutation({
    mutationFn: (session: number | 'others') =>
      session === 'others' ? call(endOtherSessions) : call(endOwnSession, { params: { session } }),
    onSuccess: (_answer, session) => {
      toast.success(session === 'others' ? t('All other sessions have ended') : t('The session has ended'));
      void cache.invalidateQueries({ queryKey: keyOf(listOwnSessions) });
    },
    onError: (failure) => toast.failure(failure),
  });
  const others = data?.some(({ current }) => !current) ?? false;
  return (
    <Section
      title={t('Sessions')}
      actions={
        others && (
          <Button
            variant="default"
            size="compact-sm"
            loading={ending.variables === 'others' && ending.isPending}
            onClick={() => ending.mutate('others')}
          >
            {t('End all other sessions')}
          </Button>
        )
      }
    >
      {error && <Failure error={error} onRetry={() => refetch()} />}
      {data === undefined && !error && (
        <Text size="sm" c="dimmed" role="status">
          {t('Loading {{entity}}...', { entity: t('sessions') })}
        </Text>
      )}
      {data && (
        <ul className={classes.rows}>
          {data.map(({ id, browser, network, created_at, last_seen_at, current }) => (
            <li key={id} className={classes.row}>
              <div>
                <Text fw={500}>{browser ?? t('Unknown browser')}</Text>
                <Text size="sm" c="dimmed">
                  {network ?? t('Unknown network')}
                  {', '}
                  {t('signed in')} <Timestamp iso={created_at} />
                  {', '}
                  {t('last used')} <Timestamp iso={last_seen_at} />
                </Text>
              </div>
              {current ? (
                <Badge color="green">{t('This session')}</Badge>
              ) : (
                <Button
                  variant="default"
                  size="compact-sm"
                  loading={ending.variables === id && ending.isPending}
                  onClick={() => ending.mutate(id)}
                >
                  {t('End session')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
