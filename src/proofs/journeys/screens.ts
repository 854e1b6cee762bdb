/** Sizes at which every page has to fit: a small laptop, and a phone. */
export const SCREENS = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 780 } } as const;
