#!/usr/bin/env node
// Starts the conformance kit.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const program = new URL('../dist/main.js', import.meta.url);
const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const oldest = engines.node.replace('>=', '');

function giveUp(line) {
  process.stderr.write(`Error: ${line}\n`);
  process.exit(2);
}

const { node } = process.versions;
if (node.localeCompare(oldest, 'en', { numeric: true }) < 0)
  giveUp(`agent-conformance needs Node ${oldest} or newer, and this is ${node}: install a newer one`);
const checkout = fileURLToPath(new URL('../../..', import.meta.url));
if (!existsSync(program)) giveUp(`agent-conformance is not built yet: run "npm run build" in ${checkout}`);
await import(program.href);
