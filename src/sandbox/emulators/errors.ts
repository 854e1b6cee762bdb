/** An action that is not possible; its sentence is answered with 409 and shown beside the switches. */
export class ImpossibleActionError extends Error {}

/** An action on something that does not exist. */
export class NotFoundError extends Error {}
