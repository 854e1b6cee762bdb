/** A field whose text is a chosen name: what is typed replaces it, and is not added to it. */
import type { FocusEvent, MouseEvent } from 'react';

/** Fields that got the focus by the press whose click is still to come: the press has placed the cursor since. */
const pressed = new WeakSet<HTMLInputElement>();

export const replacedByTyping = {
  onFocus: ({ currentTarget: field }: FocusEvent<HTMLInputElement>): void => {
    if (field.readOnly) return;
    pressed.add(field);
    field.select();
  },
  onClick: ({ currentTarget: field }: MouseEvent<HTMLInputElement>): void => {
    if (pressed.delete(field)) field.select();
  },
};
