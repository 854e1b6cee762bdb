/** Spectral's rules for /openapi.json: all recommended ones except those below. */
import type { RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';

export const spectralRules: RulesetDefinition = {
  extends: [[oas as RulesetDefinition, 'recommended']],
  rules: {
    // The specification's lists end with a slash (/v1/leads/). The server accepts both forms.
    'path-keys-no-trailing-slash': 'off',
    // A socket answers 101. openapi.test.ts checks that every other operation has a 2xx or 302.
    'operation-success-response': 'off',
    // Each operation has a summary, and a description would add nothing.
    'operation-description': 'off',
    // There is no public contact.
    'info-contact': 'off',
    // Spectral reads patterns without the Unicode flag and rejects \p{L}. Redocly checks the examples as well, with
    // that flag.
    'oas3-valid-media-example': 'off',
  },
};
