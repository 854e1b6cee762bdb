import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useState } from 'react';

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'onChange' | 'onBlur'> {
  value: number;
  /** What an emptied field means when it is left: nothing stays blank that is saved as a number. */
  empty: number;
  onChange: (value: number) => void;
}

/** A number that is always one: while it is typed it may be half, when it is left it is whole. */
export function NumberField({ value, empty, onChange, ...rest }: NumberFieldProps) {
  /** What stands there while it is no number: nothing, `1.`, `-`. */
  const [incompleteText, setIncompleteText] = useState<string | null>(null);
  return (
    <NumberInput
      {...rest}
      value={incompleteText ?? value}
      onChange={(typed) => {
        setIncompleteText(typeof typed === 'number' ? null : typed);
        if (typeof typed === 'number') onChange(typed);
      }}
      onBlur={() => {
        if (incompleteText === null) return;
        setIncompleteText(null);
        const parsed = Number(incompleteText);
        onChange(incompleteText.trim() === '' || Number.isNaN(parsed) ? empty : parsed);
      }}
    />
  );
}
