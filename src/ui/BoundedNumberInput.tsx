import { NumberInput, type NumberInputProps, Text } from '@mantine/core';
import { useState } from 'react';
import { boundsText, withinBounds } from './bounds.ts';

interface BoundedNumberInputProps
  extends Omit<NumberInputProps, 'min' | 'max' | 'prefix' | 'suffix' | 'clampBehavior'> {
  min?: number;
  max?: number;
  prefix?: string;
  suffix?: string;
}

/**
 * Number input that says its bounds when a number outside them is typed. That number is not passed on: the nearest one
 * within the bounds replaces it when the field loses focus, and the bounds stay visible until the next change.
 */
export function BoundedNumberInput({ value, error, onChange, onBlur, ...rest }: BoundedNumberInputProps) {
  const [outside, setOutside] = useState<number | null>(null);
  const [isCorrected, setCorrected] = useState(false);
  const bounds = boundsText(rest);
  const correction = isCorrected && !error && (
    <Text span inherit c="dimmed">
      {bounds}
    </Text>
  );
  return (
    <NumberInput
      {...rest}
      clampBehavior="none"
      value={outside ?? value ?? ''}
      error={outside === null ? error || correction : bounds}
      withErrorStyles={!correction || outside !== null}
      onChange={(typed) => {
        const isOutside = typeof typed === 'number' && withinBounds(typed, rest) !== typed;
        setOutside(isOutside ? typed : null);
        if (isOutside) return;
        if (typed !== value) setCorrected(false);
        onChange?.(typed);
      }}
      onBlur={(event) => {
        if (outside === null) return onBlur?.(event);
        setOutside(null);
        setCorrected(true);
        onChange?.(withinBounds(outside, rest));
      }}
    />
  );
}
