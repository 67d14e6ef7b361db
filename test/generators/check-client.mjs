// node check-client.mjs orval hey-api own: each client is generated from openapi.json by a common generator, compiled with
// all strict options, and used for a whole story against the built service. `own` is packages/client, used as from
// another package.
import { spawnSync } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { withBuiltService } from '../../scripts/built-service.mjs';

const here = import.meta.dirname;
const root = resolve(here, '../..');
const clients = {
  orval: () => run('orval', '--config', 'orval.config.mjs'),
  'hey-api': () => run('openapi-ts', '--file', 'hey-api.config.mjs'),
  own: () => undefined,
};

/** Runs a tool of this folder. @throws Error with all of its output if it fails */
function run(tool, ...args) {
  const { status, stdout, stderr } = spawnSync(join(here, 'node_modules/.bin', tool), args, {
    cwd: here,
    encoding: 'utf8',
    env: { ...process.env, SCARF_ANALYTICS: 'false', DO_NOT_TRACK: '1', CI: 'true' },
  });
  if (status !== 0) throw new Error(`${tool} ended with ${status}\n${stdout}${stderr}`);
}

async function linesOf(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.reduce((sum, text) => sum + text.split('\n').length, 0);
}

/** Runs the built service, and an endpoint for its messages. */
async function stage(play) {
  const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
  await new Promise((listening) => receiver.listen(0, '127.0.0.1', listening));
  const receiverUrl = `http://127.0.0.1:${receiver.address().port}/hook`;
  try {
    return await withBuiltService((url) => play({ url, receiverUrl }));
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

/** Generates and compiles a client. */
async function make(name) {
  const generated = name === 'own' ? join(root, 'packages/client/src') : join(here, 'generated', name);
  const built = join(here, 'generated', `built-${name}`);
  if (name !== 'own') await rm(generated, { recursive: true, force: true });
  await rm(built, { recursive: true, force: true });
  await clients[name]();
  run('tsc', '--project', `tsconfig.${name}.json`);
  const { story } = await import(join(built, `${name}.story.js`));
  return { name, story, lines: await linesOf(generated) };
}

const names = process.argv.slice(2);
if (names.length === 0 || !names.every((name) => Object.hasOwn(clients, name)))
  throw new Error(`Which ones: ${Object.keys(clients).join(', ')}?`);
const made = [];
for (const name of names) made.push(await make(name));
await stage(async (service) => {
  for (const { name, story, lines } of made) {
    const steps = await story(service);
    console.log(`${name}: ${lines} lines compile, ${steps} steps went as they should`);
  }
});
