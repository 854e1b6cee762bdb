// `node scripts/runInNamespace.mjs read URL` and `signIn BASE LOGIN PASSWORD ORIGIN`: requests made inside the
// namespaces of another process.
import { signIn } from './minimalDebian.mjs';
import { main, SetupError } from './setup.mjs';

await main(async () => {
  const [what, url = '', login = '', password = '', origin = url] = process.argv.slice(2);
  if (what === 'signIn') {
    await signIn(url, login, password, origin);
    return;
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new SetupError(`${url} answers ${answer.status}: ${await answer.text()}`);
  process.stdout.write(await answer.text());
});
