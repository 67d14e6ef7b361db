#!/usr/bin/env node
// Starts the command line in this process, so that signals reach the running command.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const program = new URL('../dist/cli/main.js', import.meta.url);
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const oldest = engines.node.replace('>=', '');

/** @param {string} version of Node, like `20.19.0` */
function isNewEnough(version) {
  return version.localeCompare(oldest, 'en', { numeric: true }) >= 0;
}

function giveUp(line) {
  process.stderr.write(`Error: ${line}\n`);
  process.exit(1);
}

const { node } = process.versions;
if (!isNewEnough(node)) giveUp(`svc needs Node ${oldest} or newer, and this is ${node}: install a newer one`);
const checkout = fileURLToPath(new URL('../../..', import.meta.url));
if (!existsSync(program)) giveUp(`svc is not built yet: run "npm run build" in ${checkout}`);
await import(program.href);
