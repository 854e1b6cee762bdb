import { type ComponentProps, useState } from 'react';
import { BoundedNumberInput } from './BoundedNumberInput.tsx';

interface NumberFieldProps extends Omit<ComponentProps<typeof BoundedNumberInput>, 'value' | 'onChange' | 'onBlur'> {
  value: number;
  /** Value set when the field is left empty, because it is saved as a number. */
  empty: number;
  onChange: (value: number) => void;
}

/** Number input whose value is always a number. Incomplete input is kept as text until the field loses focus. */
export function NumberField({ value, empty, onChange, ...rest }: NumberFieldProps) {
  /** The text while it is not a number: empty, `1.` or `-`. */
  const [incompleteText, setIncompleteText] = useState<string | null>(null);
  return (
    <BoundedNumberInput
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
