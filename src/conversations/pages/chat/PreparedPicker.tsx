/** Prepared messages to choose from while '/' is typed, with a preview for the lead. */
import { Text } from '@mantine/core';
import { useEffect, useId } from 'react';
import { preparedMessages } from '../../../prompts/contract.ts';
import { t } from '../../../ui/i18n.ts';
import { PlainText } from '../../../ui/PlainText.tsx';
import { useEndpoint } from '../../../ui/query.ts';
import classes from './chat.module.css';
import { useRendered } from './useRendered.ts';

/** Most messages in the list; typing more narrows it. */
const MOST = 50;

export interface ChosenText {
  readonly text: string;
  readonly preparedMessageId: number;
}

/** What the keys of the composer do while the list is open. */
export interface PickerKeys {
  readonly move: (by: 1 | -1) => void;
  /** Returns the marked message, filled in for the lead; null if none can be used. */
  readonly chosen: () => ChosenText | null;
}

interface PreparedPickerProps {
  productId: number;
  leadId: number;
  /** What was typed after the slash. */
  typed: string;
  marked: number;
  onMark: (index: number) => void;
  /** Set while the list is open. */
  keys: { current: PickerKeys | null };
  onChoose: (chosen: ChosenText) => void;
}

export default function PreparedPicker(props: PreparedPickerProps) {
  const { productId, leadId, typed, marked, onMark, keys, onChoose } = props;
  const listId = useId();
  const loaded = useEndpoint(
    preparedMessages.list,
    {
      query: {
        product_id: [productId],
        limit: MOST,
        search: typed.trim() || undefined,
        order_by: 'name',
        order: 'asc',
      },
    },
    { keepPrevious: true },
  );
  const found = loaded.data?.items ?? [];
  const at = Math.min(marked, found.length - 1);
  const active = found[at];
  const rendered = useRendered({ productId, leadId, text: active?.message ?? null });
  const chosen = (): ChosenText | null =>
    active && rendered?.text ? { text: rendered.text, preparedMessageId: active.id } : null;
  useEffect(() => {
    keys.current = {
      move: (by) => onMark(Math.max(0, Math.min(found.length - 1, at + by))),
      chosen,
    };
    return () => {
      keys.current = null;
    };
  });
  return (
    <section className={classes.prepared} aria-label={t('Prepared messages')}>
      {found.length === 0 ? (
        <Text size="sm" c="dimmed" p="xs" role="status">
          {loaded.isPending ? t('Loading…') : t('No prepared message matches')}
        </Text>
      ) : (
        <div className={classes.preparedList} role="listbox" id={listId} aria-label={t('Prepared messages')}>
          {found.map((one, index) => (
            <div
              key={one.id}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              className={classes.preparedItem}
              ref={index === at ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
              onPointerMove={() => index !== at && onMark(index)}
              onPointerDown={(event) => {
                // The cursor stays in the field.
                event.preventDefault();
                const text = index === at ? chosen() : null;
                if (text) onChoose(text);
              }}
            >
              {one.name}
            </div>
          ))}
        </div>
      )}
      {active && (
        <div className={`${classes.preparedPreview} ${classes.text}`} aria-live="polite">
          {rendered?.text ? (
            <PlainText text={rendered.text} />
          ) : (
            <Text size="xs" c="dimmed">
              {rendered ? rendered.problem : t('Loading…')}
            </Text>
          )}
        </div>
      )}
    </section>
  );
}
