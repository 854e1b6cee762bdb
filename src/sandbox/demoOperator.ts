/** The demo operator; exists in the sandbox only. */
export const DEMO_LOGIN = 'demo';
export const DEMO_PASSWORD = 'demo';
