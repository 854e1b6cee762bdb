/**
 * Properties are tried on the same values in every `npm test`: a change is held against what it can break, not against luck.
 * `npm run test:all` draws new ones each time; what it finds becomes an example beside its property.
 */
import fc from 'fast-check';

if (process.env['RAPPORT_TESTS'] !== 'all') fc.configureGlobal({ seed: 42 });
