/** Controls that keep the focus when they become disabled, so that what is typed next does not go to the page. */
import {
  type ComponentPropsWithRef,
  type FocusEventHandler,
  type MouseEvent,
  type MouseEventHandler,
  type PointerEventHandler,
  type SyntheticEvent,
  useState,
} from 'react';

interface SteadyProps {
  disabled: boolean;
  'aria-disabled'?: true;
  onFocus: FocusEventHandler;
  onBlur: FocusEventHandler;
  onPointerEnter: PointerEventHandler;
  onPointerLeave: PointerEventHandler;
  onClickCapture: MouseEventHandler;
}

/**
 * Return the props of a control that may become disabled while it has the focus, or the pointer is on it. Until it has
 * neither, it is disabled for assistive technology alone, and clicks on it do nothing: a control that a browser disables
 * loses the focus, and no longer tells when the pointer leaves it, so that its tooltip would stay.
 */
export function useSteady(disabled: boolean, isBusy = false): SteadyProps {
  const [hasFocus, setFocus] = useState(false);
  const [hasPointer, setPointer] = useState(false);
  const isInUse = hasFocus || hasPointer || isBusy;
  const isKept = disabled && isInUse;
  return {
    disabled: disabled && !isInUse,
    ...(isKept ? { 'aria-disabled': true } : {}),
    onFocus: () => setFocus(true),
    onBlur: () => setFocus(false),
    onPointerEnter: () => setPointer(true),
    onPointerLeave: () => setPointer(false),
    onClickCapture: (event: MouseEvent) => {
      if (isKept) ignore(event);
    },
  };
}

function ignore(event: SyntheticEvent): void {
  event.preventDefault();
  event.stopPropagation();
}

/** Mantine's states of a button. */
interface ButtonStates {
  'data-loading'?: unknown;
  'data-disabled'?: unknown;
}

/** The element of every button of the theme. A busy one can get the focus too: a dialog that closes gives it back. */
export function SteadyButton({ disabled = false, ...props }: ComponentPropsWithRef<'button'> & ButtonStates) {
  const isBusy = props['data-loading'] !== undefined && props['data-disabled'] === undefined;
  const { 'aria-disabled': isKept = props['aria-disabled'], ...steady } = useSteady(disabled, isBusy);
  return (
    <button
      type="button"
      {...props}
      disabled={steady.disabled}
      aria-disabled={isKept}
      onFocus={both(steady.onFocus, props.onFocus)}
      onBlur={both(steady.onBlur, props.onBlur)}
      onPointerEnter={both(steady.onPointerEnter, props.onPointerEnter)}
      onPointerLeave={both(steady.onPointerLeave, props.onPointerLeave)}
      onClickCapture={both(steady.onClickCapture, props.onClickCapture)}
    />
  );
}

const both =
  <E,>(own: (event: E) => void, passed: ((event: E) => void) | undefined) =>
  (event: E): void => {
    own(event);
    passed?.(event);
  };
