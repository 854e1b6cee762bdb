import { Text } from '@mantine/core';
import { t } from '../../../ui/i18n.ts';
import { PlainText } from '../../../ui/PlainText.tsx';
import classes from '../studio.module.css';

interface Line {
  readonly side: 'user' | 'bot';
  readonly text: string;
}

/** A conversation, oldest first: the lead on the left, our side on the right. */
export function ConversationLines({ lines, label }: { lines: readonly Line[]; label: string }) {
  if (lines.length === 0) return null;
  return (
    <section className={classes.lines} aria-label={label}>
      {lines.map(({ side, text }, index) => (
        <div key={`${index} ${side}`} className={classes.line} data-side={side}>
          <Text span className={classes.author}>
            {side === 'user' ? t('Lead') : t('Bot')}
          </Text>
          <div dir="auto">
            <PlainText text={text} />
          </div>
        </div>
      ))}
    </section>
  );
}
