import { readFileSync } from 'node:fs';

// The first import of both servers: ends the process where Node is too old. It imports nothing that an old Node lacks.

const file = new URL('../../../package.json', import.meta.url);
const { engines } = JSON.parse(readFileSync(file, 'utf8')) as { engines: { node: string } };
const oldest = engines.node.replace('>=', '');
const { node } = process.versions;

if (node.localeCompare(oldest, 'en', { numeric: true }) < 0) {
  process.stderr.write(
    `The service needs Node ${oldest} or newer, but this is ${node}: install a newer one, or use npm start\n`,
  );
  process.exit(1);
}
