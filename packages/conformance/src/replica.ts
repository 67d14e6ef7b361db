import { request } from 'node:http';

/**
 * A replica as the conformance script has it run: it holds a connection, so that its life can be seen, and writes a
 * line now and then, so that there is something to log. Ends when the connection does.
 */
const address = process.argv[2] ?? process.env.CONFORMANCE_REPLICA_URL;
if (!address) throw new Error('The address to hold on to is missing');
const end = () => process.exit(0);
request(address, (response) => {
  response.resume().on('close', end);
  let lines = 0;
  process.stdout.on('error', () => undefined);
  process.stdout.write('replica started\n');
  setInterval(() => process.stdout.write(`replica is at work, line ${++lines}\n`), 400);
})
  .on('error', end)
  .end();
