// Starts the bundled service without a database, and keeps V8's code for it: node scripts/keep-code.mjs DIST
// The code holds each function that was called until then: V8 compiles a function when it is first called.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { freePort } from './free-port.mjs';

const PATIENCE_MS = 120_000;

const dist = process.argv[2];
const { compileBundle, keptCodeOf, runBundle } = await import(
  pathToFileURL(join(dist, 'src', 'bundled-program.js')).href
);
const PORT = String(await freePort());
process.env = {
  HOST: '127.0.0.1',
  PORT,
  LOG_LEVEL: 'fatal',
  JWT_SECRET: 'a secret of a process that answers nobody',
  // nothing listens there
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
};

const bundle = join(dist, 'service', 'bundle.cjs');
const script = compileBundle(bundle);
// from this place it finds the project's package.json: a build that is under way is in node_modules
runBundle(import.meta.filename, script);
const isListening = () =>
  fetch(`http://127.0.0.1:${PORT}/health`).then(
    ({ ok }) => ok,
    () => false,
  );
const end = Date.now() + PATIENCE_MS;
while (!(await isListening())) {
  if (Date.now() > end) throw new Error('The service does not listen');
  await delay(20);
}
// V8 takes code only where its flags are the same. The service changes these when its code is taken (src/config/heap-flags.ts)
setFlagsFromString('--semi-space-growth-factor=2');
setFlagsFromString('--allocation-site-pretenuring');
writeFileSync(keptCodeOf(bundle), script.createCachedData());
process.exit();
