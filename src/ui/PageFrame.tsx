/**
 * The frame of every page: heading, back button, guide link, actions and a scrolling body. Sets the browser's title.
 */
import { ActionIcon, Group, Title } from '@mantine/core';
import { IconArrowLeft, IconHelp } from '@tabler/icons-react';
import { type ReactNode, useEffect } from 'react';
import { useGuideUrl } from './guide.ts';
import { t } from './i18n.ts';
import classes from './PageFrame.module.css';
import { usePageHeaderSlot } from './pageHeaderSlot.ts';
import { setTitle } from './title.ts';

interface PageFrameProps {
  title: string;
  /** Shown beside the title: a badge or a count. */
  aside?: ReactNode;
  /** Shows the back arrow and handles it. */
  onBack?: () => void;
  /** Buttons to the right of the heading. */
  actions?: ReactNode;
  /** The page fills the height and scrolls its own parts, such as a table or a chat. By default the frame scrolls. */
  fill?: boolean;
  children: ReactNode;
}

export function PageFrame({ title, aside, onBack, actions, fill = false, children }: PageFrameProps) {
  const guide = useGuideUrl();
  const headerSlot = usePageHeaderSlot();
  useEffect(() => {
    setTitle(title);
  }, [title]);
  return (
    <div className={classes.frame}>
      <header className={classes.head}>
        <Group gap="xs" wrap="nowrap" className={classes.heading}>
          {onBack !== undefined && (
            <ActionIcon variant="subtle" color="gray" aria-label={t('Back')} onClick={onBack}>
              <IconArrowLeft size={18} />
            </ActionIcon>
          )}
          <Title order={1} className={classes.title} title={title}>
            {title}
          </Title>
          {aside}
          {guide !== null && (
            <ActionIcon
              component="a"
              href={guide}
              target="_blank"
              rel="noopener"
              variant="subtle"
              color="gray"
              aria-label={t('Guide to this page')}
              title={t('Guide to this page')}
            >
              <IconHelp size={18} />
            </ActionIcon>
          )}
        </Group>
        {(actions !== undefined || headerSlot !== null) && (
          <Group gap="xs" className={classes.actions}>
            {actions}
            {headerSlot}
          </Group>
        )}
      </header>
      <div className={fill ? classes.fill : classes.scroll}>{children}</div>
    </div>
  );
}
