/** What became of a message after it was sent: edited, with the earlier words on demand, or deleted. */
import { Popover, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { formatExact, formatTime } from '../../../ui/format.ts';
import { t } from '../../../ui/i18n.ts';
import { PlainText } from '../../../ui/PlainText.tsx';
import type { Message } from '../../contract.ts';
import classes from './chat.module.css';

export function ChangeMarks({ message, leadName }: { message: Message; leadName: string }) {
  const { deleted_at: deletedAt, edited_at: editedAt } = message;
  return (
    <>
      {editedAt !== null && <EditedMark message={message} editedAt={editedAt} />}
      {deletedAt !== null && (
        <span title={formatExact(deletedAt)}>
          {message.side === 'user' ? t('Deleted by {{name}}', { name: leadName }) : t('Deleted on our phone')}
        </span>
      )}
    </>
  );
}

function EditedMark({ message, editedAt }: { message: Message; editedAt: string }) {
  const [opened, setOpened] = useState(false);
  const { earlier_texts: earlier } = message;
  if (earlier.length === 0) return <span title={formatExact(editedAt)}>{t('Edited')}</span>;
  return (
    <Popover opened={opened} onChange={setOpened} width={320} position="top-start" withinPortal trapFocus>
      <Popover.Target>
        <UnstyledButton
          className={classes.why}
          aria-label={t('Edited at {{time}}: show the earlier text', { time: formatTime(editedAt) })}
          onClick={() => setOpened((open) => !open)}
        >
          {t('Edited')}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('Earlier text')}>
        <ul className={classes.earlier} data-autofocus tabIndex={-1}>
          {earlier.map(({ text, replaced_at: at }, index) => (
            <li key={`${index} ${at}`}>
              <Text size="xs" c="dimmed">
                {t('Until {{time}}', { time: formatExact(at) })}
              </Text>
              <div className={classes.text} dir="auto">
                <PlainText text={text} />
              </div>
            </li>
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}
