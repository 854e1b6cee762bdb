import { memo } from 'react';
import { t } from './i18n.ts';
import { splitInvisibleCharacters } from './invisibleCharacters.ts';
import classes from './PlainText.module.css';

/** A text written by someone else, shown unchanged with its invisible characters marked. */
export const PlainText = memo(function PlainText({ text }: { text: string }) {
  const pieces = splitInvisibleCharacters(text);
  if (pieces.every((piece) => piece.kind === 'text')) return text;
  let at = 0;
  return pieces.map((piece) => {
    const key = at;
    at += piece.kind === 'text' ? piece.text.length : piece.char.length;
    if (piece.kind === 'text') return <span key={key}>{piece.text}</span>;
    const title = t('Invisible: {{name}} ({{code}})', { name: t(piece.name), code: piece.code });
    return (
      <span key={key} className={classes.mark} role="img" aria-label={title} title={title}>
        ␣
      </span>
    );
  });
});
