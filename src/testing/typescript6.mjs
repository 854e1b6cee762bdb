// For `node --import`: gives generators that need a TypeScript with a JavaScript API version 6; ours is 7, which has
// none.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript6' : specifier, context),
});
