/** The rules of Spectral for /openapi.json: all that are recommended, but for these. */
import type { RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';

export const spectralRules: RulesetDefinition = {
  extends: [[oas as RulesetDefinition, 'recommended']],
  rules: {
    // The specification's lists end with a slash (/v1/leads/). The server takes both forms.
    'path-keys-no-trailing-slash': 'off',
    // A socket answers 101. openapi.test.ts checks that every other operation has a 2xx or 302.
    'operation-success-response': 'off',
    // Each operation has a summary; there is nothing to add.
    'operation-description': 'off',
    // There is no public contact.
    'info-contact': 'off',
    // It reads patterns without the Unicode flag and refuses \p{L}. Redocly checks the examples as well, with it.
    'oas3-valid-media-example': 'off',
  },
};
