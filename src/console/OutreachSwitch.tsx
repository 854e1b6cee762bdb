/** The state of the chosen product's outreach in the side menu, with a button that pauses or resumes it. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconSend } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { products } from '../products/contract.ts';
import { dateTimeInSentence } from '../ui/format.ts';
import { t } from '../ui/i18n.ts';
import { useEndpoint } from '../ui/query.ts';
import { toast } from '../ui/toast.ts';
import classes from './MenuFooter.module.css';
import { PAUSE_MEANING, RESUME_MEANING, switchOutreach } from './outreachTools.ts';

const ConfirmDialog = lazy(async () => ({ default: (await import('../ui/ConfirmDialog.tsx')).ConfirmDialog }));

export function OutreachSwitch({ productId }: { productId: number }) {
  const { data: product } = useEndpoint(products.get, { params: { id: productId } });
  const [asking, setAsking] = useState<'paused' | 'running' | null>(null);
  // Keeps its room while it loads, so that the menu above it does not move.
  if (!product) return <div className={classes.outreach} />;
  const { outreach_paused_at: pausedAt, outreach_paused_by: by } = product;
  const isPaused = pausedAt !== null;
  const Icon = isPaused ? IconPlayerPause : IconSend;
  const action = isPaused ? t('Resume outreach') : t('Pause outreach');
  const title = isPaused
    ? t('Paused by {{by}}, {{time}}', { by: by ?? '', time: dateTimeInSentence(pausedAt) })
    : t('First messages and follow-ups are sent as planned');
  return (
    <>
      <div className={classes.outreach} data-paused={isPaused || undefined} title={title}>
        <Icon size={18} stroke={1.6} aria-hidden="true" />
        <span className={classes.label}>{isPaused ? t('Outreach paused') : t('Outreach running')}</span>
        <Tooltip label={action}>
          <ActionIcon
            variant="default"
            size="sm"
            aria-label={action}
            onClick={() => setAsking(isPaused ? 'running' : 'paused')}
          >
            {isPaused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
          </ActionIcon>
        </Tooltip>
      </div>
      {asking !== null && (
        <Suspense>
          <ConfirmDialog
            title={
              asking === 'paused'
                ? t('Pause outreach of {{name}}?', { name: product.name })
                : t('Resume outreach of {{name}}?', { name: product.name })
            }
            text={asking === 'paused' ? t(PAUSE_MEANING) : t(RESUME_MEANING)}
            confirm={asking === 'paused' ? t('Pause outreach') : t('Resume outreach')}
            run={() => switchOutreach(productId, asking)}
            onDone={() => toast.success(asking === 'paused' ? t('Outreach is paused') : t('Outreach is running'))}
            onClose={() => setAsking(null)}
          />
        </Suspense>
      )}
    </>
  );
}
