/**
 * The `type` of a 422's details that an operator can confirm: the request is repeated with each `msg` in
 * `confirm_errors`. Browser-safe.
 */
export const CONFIRMABLE = 'confirmable_error';
