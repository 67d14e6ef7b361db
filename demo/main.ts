import { Api, UnexpectedError } from './api.js';
import { stepsTold } from './narrator.js';
import { isReady, ServiceProcess } from './service-process.js';
import { tellStory } from './story.js';

/**
 * `npm run demo [address]`: plays the demo against the service at that address, at `SERVICE_API_URL`, at the local
 * default if one runs there, else against one that it starts. Where there is no operator yet it starts one, too: on the
 * embedded database its person would be the first account, and so the operator. Ends with 1 if any step differs.
 */
const named = process.argv[2] ?? process.env.SERVICE_API_URL;
const address = named ?? `http://127.0.0.1:${process.env.PORT ?? 8000}`;
const isThere = await isReady(address);
if (named && !isThere) {
  process.stderr.write(
    `No service answers at ${address}. Start one with npm start, or leave the address out.\n`,
  );
  process.exit(1);
}
const isSetUp = isThere && (await hasOperator(address));
if (isThere && !isSetUp) {
  process.stdout.write(`The service at ${address} has no operator yet, so the demo leaves it alone.\n`);
}
const own = isSetUp ? undefined : await ServiceProcess.start();
const url = own?.url ?? address;
process.stdout.write(`The service at ${url}${own ? ', started for this demo' : ''}\n`);
try {
  await tellStory(url);
  process.stdout.write(`\nAll ${stepsTold()} steps went as they should.\n`);
} catch (error) {
  if (!(error instanceof UnexpectedError)) throw error;
  process.stderr.write(`\nStep ${stepsTold()} differs: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  await own?.stop();
}

/** Asks with a registration that is refused either way, because its setup token is wrong. */
async function hasOperator(url: string): Promise<boolean> {
  const { body } = await new Api(url).call<{ message?: unknown }>('POST', '/auth/register', {
    email: 'nobody@example.com',
    password: 'Correct-horse-7',
    setup_token: 'not the setup token',
  });
  return String(body.message).startsWith('There is an operator already');
}
