#!/usr/bin/env node
// Starts the command line with a Node that can run it: this one, else the one that is installed beside it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, 'dist', 'src', 'cli', 'main.js');
const installedNode = join(root, 'node_modules', '.bin', 'node');

/** package.json's `engines`. */
function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 18);
}

function giveUp(line) {
  process.stderr.write(`Error: ${line}\n`);
  process.exit(1);
}

function startWith(node) {
  const child = spawn(node, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  // a terminal sends Ctrl-C to both, so that the child has it already; it decides when this ends
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => giveUp(`${node} can't be started (${error.code})`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

if (!existsSync(program)) giveUp(`svc is not built yet: run "npm run build" in ${root}`);
if (isNewEnough(process.versions.node)) await import(pathToFileURL(program).href);
else if (existsSync(installedNode)) startWith(installedNode);
else giveUp(`svc needs Node 22.18 or newer, and this is ${process.versions.node}: install a newer one`);
