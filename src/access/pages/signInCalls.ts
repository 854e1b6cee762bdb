/**
 * The calls of the login page. They repeat method and path of the contract, which a test compares: the contract brings
 * its schemas, and they weigh more than the whole page.
 */
import type { AnswerOf } from '../../platform/contract.ts';
import type { installation } from '../../platform/installationContract.ts';
import { ApiError, callUnchecked, type RequestFacts } from '../../ui/api.ts';
import { t } from '../../ui/i18n.ts';
import type { OperatorSelf, SecondFactorDue } from '../contract.ts';
import type { SecondStep } from '../secondFactorContract.ts';

export type Installation = AnswerOf<typeof installation>;

/** What each call has in common with its endpoint. */
export const SIGN_IN_CALLS = {
  installation: { method: 'GET', path: '/v1/installation', access: 'public', slowReason: null },
  validate: { method: 'GET', path: '/v1/auth/validate', access: 'session', slowReason: null },
  login: { method: 'POST', path: '/v1/auth/login', access: 'public', slowReason: null },
  passSecondFactor: { method: 'POST', path: '/v1/auth/login/second-factor', access: 'public', slowReason: null },
  askPasskeyAtSignIn: { method: 'POST', path: '/v1/auth/login/passkey', access: 'public', slowReason: null },
} as const satisfies Record<string, RequestFacts>;

/** Call an endpoint; `isAnswer` checks only what the page reads of the answer. */
async function read<A>(facts: RequestFacts, isAnswer: (answer: unknown) => answer is A, body?: object): Promise<A> {
  const { status, answer } = await callUnchecked(facts, body);
  if (isAnswer(answer)) return answer;
  throw new ApiError(status, t('The page may be older than the server: reload it and try again.'), {
    title: t('Failed to parse server response'),
  });
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOperator = (answer: unknown): answer is OperatorSelf =>
  isObject(answer) && typeof answer['id'] === 'number' && typeof answer['login'] === 'string';

const isFactorDue = (answer: unknown): answer is SecondFactorDue =>
  isObject(answer) && Array.isArray(answer['second_factors']);

const isInstallation = (answer: unknown): answer is Installation =>
  isObject(answer) && typeof answer['sandbox'] === 'boolean';

export const readInstallation = (): Promise<Installation> => read(SIGN_IN_CALLS.installation, isInstallation);

/** Return who is signed in; null when nobody is. */
export async function readOperator(): Promise<OperatorSelf | null> {
  try {
    return await read(SIGN_IN_CALLS.validate, isOperator);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

export const logIn = (body: { login: string; password: string }): Promise<OperatorSelf | SecondFactorDue> =>
  read(SIGN_IN_CALLS.login, (answer) => isOperator(answer) || isFactorDue(answer), body);

export const passSecondStep = (step: SecondStep): Promise<OperatorSelf> =>
  read(SIGN_IN_CALLS.passSecondFactor, isOperator, step);

/** Return what a passkey has to sign. */
export const askPasskey = (): Promise<Readonly<Record<string, unknown>>> =>
  read(SIGN_IN_CALLS.askPasskeyAtSignIn, isObject);
