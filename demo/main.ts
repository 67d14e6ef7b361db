import { Api, UnexpectedError } from './api.js';
import { stepsTold } from './narrator.js';
import { isReady, ServiceProcess } from './service-process.js';
import { tellStory } from './story.js';

/**
 * `npm run demo [address]`: plays the demo against the service at that address, at `SERVICE_API_URL`, at the local
 * default if one runs there, else against one that it starts. It also starts one where its person would become the
 * operator, because there is no account yet. Ends with 1 if any step differs.
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
const isNew = isThere && (await createsOperator(address));
if (isNew) {
  process.stdout.write(`The service at ${address} has no account yet, so the demo leaves it alone.\n`);
}
const own = isThere && !isNew ? undefined : await ServiceProcess.start();
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

async function createsOperator(url: string): Promise<boolean> {
  const { body } = await new Api(url).call<{ creates_operator?: unknown }>('GET', '/auth/methods');
  return body.creates_operator === true;
}
