/** The field in which an operator writes to a lead, wherever that is: `/` offers prepared messages, filled in for them. */
import { Textarea, type TextareaProps } from '@mantine/core';
import { type KeyboardEvent, lazy, type ReactNode, type RefObject, Suspense, useRef, useState } from 'react';
import classes from './chat.module.css';
import type { ChosenText, PickerKeys } from './PreparedPicker.tsx';

const PreparedPicker = lazy(() => import('./PreparedPicker.tsx'));

interface MessageFieldProps {
  /** Whose messages are offered, and for whom they are filled in. */
  recipient: { readonly productId: number; readonly leadId: number };
  text: string;
  onText: (text: string) => void;
  /** Takes a prepared message, filled in for the lead. Null: none are offered. */
  onChoose: ((chosen: ChosenText) => void) | null;
  /** Gets the keys that choose no prepared message and end no suggestion of an input method. */
  onKey: (event: KeyboardEvent) => void;
  input: RefObject<HTMLTextAreaElement | null>;
  /** How the field looks and is named. */
  look: Omit<TextareaProps, 'value' | 'onChange' | 'onKeyDown'>;
  /** Between the offered messages and the field. */
  tools: ReactNode;
  /** Beside the field. */
  buttons?: ReactNode;
}

export function MessageField({
  recipient,
  text,
  onText,
  onChoose,
  onKey,
  input,
  look,
  tools,
  buttons,
}: MessageFieldProps) {
  const picker = usePicker(text, onChoose);
  return (
    <>
      <Suspense>{picker.props && <PreparedPicker {...picker.props} {...recipient} />}</Suspense>
      {tools}
      <div className={classes.composerRow}>
        <Textarea
          ref={input}
          className={classes.input}
          {...look}
          autosize
          value={text}
          onChange={(event) => onText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (!event.nativeEvent.isComposing && !picker.onKey(event)) onKey(event);
          }}
        />
        {buttons}
      </div>
    </>
  );
}

/** Whether prepared messages are offered, and the keys that choose one. */
function usePicker(text: string, onChoose: MessageFieldProps['onChoose']) {
  const [marked, setMarked] = useState(0);
  const [closedAt, setClosedAt] = useState<string | null>(null);
  const keys = useRef<PickerKeys | null>(null);
  const isOpen = /^\/[^\n]*$/.test(text) && text !== closedAt;
  const props = isOpen && onChoose ? { typed: text.slice(1), marked, onMark: setMarked, keys, onChoose } : null;
  const onKey = (event: KeyboardEvent): boolean => {
    if (!props) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Escape') setClosedAt(text);
    else if (step === 1 || step === -1) keys.current?.move(step);
    else if (event.key === 'Enter' && !event.shiftKey) {
      const chosen = keys.current?.chosen();
      if (chosen) props.onChoose(chosen);
    } else return false;
    event.preventDefault();
    return true;
  };
  return { props, onKey };
}
