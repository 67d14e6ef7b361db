// npm start: installs and builds missing parts, then runs the service and the web server until Ctrl-C.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { main, runNode } from './project.mjs';

/** The address to connect to: loopback for a server that listens on every address. */
function reachable(address) {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

function announce(web, api) {
  process.stdout.write(
    [
      '',
      `  Web            ${web}`,
      `  API            ${api}`,
      `  API reference  ${api}/docs`,
      `  Documentation  ${web}/docs/guide`,
      '',
      `  Open the first one to begin. Or, in another terminal:`,
      '    npm run demo                     a small company that works in it',
      `    curl ${reachable(api)}/health`,
      '',
      '  Ctrl-C ends it all.',
      '',
      '',
    ].join('\n'),
  );
}

/** Runs both servers. When one ends, for any reason, the other is ended. The first failure is the exit code. */
async function runBoth(env, args) {
  const over = new AbortController();
  const ended = [];
  const run = (script, options) =>
    runNode([script, ...args], { ipc: true, end: over.signal, ...options }).then((code) => {
      ended.push(code);
      over.abort();
    });
  let web;
  const service = run('dist/service/main.js', {
    // the web server forwards browsers' addresses, and connects from loopback
    env: { ...env, TRUST_PROXY: env.TRUST_PROXY || 'loopback' },
    onMessage: ({ address: api }) => {
      if (over.signal.aborted) return;
      web = run('dist/src/web/main.js', {
        env: { ...env, SERVICE_URL: env.SERVICE_URL || reachable(api) },
        onMessage: ({ address }) => announce(address, api),
      });
    },
  });
  await service;
  await web;
  return ended.find((code) => code !== 0) ?? 0;
}

await main(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const LOG_FORMAT = process.env.LOG_FORMAT || (process.stdout.isTTY ? 'pretty' : 'json');
  return runBoth({ ...process.env, LOG_FORMAT }, process.argv.slice(2));
});
