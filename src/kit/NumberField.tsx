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
  const [half, setHalf] = useState<string | null>(null);
  return (
    <NumberInput
      {...rest}
      value={half ?? value}
      onChange={(typed) => {
        setHalf(typeof typed === 'number' ? null : typed);
        if (typeof typed === 'number') onChange(typed);
      }}
      onBlur={() => {
        if (half === null) return;
        setHalf(null);
        const whole = Number(half);
        onChange(half.trim() === '' || Number.isNaN(whole) ? empty : whole);
      }}
    />
  );
}
