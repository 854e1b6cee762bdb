/** The emulated amoCRM as its customers and integrations see it, at the root of the emulators' address. */
import type { FastifyInstance } from 'fastify';
import type { World } from '../world.ts';
import { accountRoutes } from './accountRoutes.ts';
import { createAdmission } from './admission.ts';
import { cardPage } from './cardPage.ts';
import { cardRoutes } from './cardRoutes.ts';
import { oauthRoutes } from './oauth.ts';
import { onCardRoutes } from './onCardRoutes.ts';

export async function amocrmRoutes(app: FastifyInstance, world: World): Promise<void> {
  await app.register(async (scope) => {
    // A field occurs once here, so the form is read like a JSON body.
    scope.removeContentTypeParser('application/x-www-form-urlencoded');
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
      done(null, Object.fromEntries(new URLSearchParams(body.toString())));
    });
    oauthRoutes(scope, world);
    const add = createAdmission(scope, world);
    accountRoutes(add, world);
    cardRoutes(add, world);
    onCardRoutes(add, world);
    cardPage(scope, world);
  });
}
