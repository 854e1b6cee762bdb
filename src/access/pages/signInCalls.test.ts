import { expect, it } from 'vitest';
import { installation } from '../../platform/installationContract.ts';
import { login, validate } from '../contract.ts';
import { askPasskeyAtSignIn, passSecondFactor } from '../secondFactorContract.ts';
import { SIGN_IN_CALLS } from './signInCalls.ts';

it('calls what the contract declares', () => {
  const declared = { installation, validate, login, passSecondFactor, askPasskeyAtSignIn };
  for (const [name, facts] of Object.entries(SIGN_IN_CALLS))
    expect({ name, ...declared }).toMatchObject({ [name]: facts });
});
