/** Header of a request that the console makes in the background: it does not count as use of the session. */
export const BACKGROUND_HEADER = 'x-rapport-background';
