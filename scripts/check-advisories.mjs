// Asks the registry for known vulnerabilities of the locked packages. Fails for one that is rated high or critical in a
// package of the running service or dashboard; others are printed. Prints a note if the registry does not answer.
import { spawnSync } from 'node:child_process';
import { main, Problem, root, say } from './project.mjs';

const PATIENCE_MS = 60_000;
const SERIOUS = ['high', 'critical'];

/** @returns the report of `npm audit`, or in `error` the reason why there is none */
function ask(args) {
  const { stdout, error } = spawnSync('npm', ['audit', '--json', '--loglevel=silent', ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: PATIENCE_MS,
  });
  if (error) return { error: error.message };
  try {
    const report = JSON.parse(stdout);
    return report.vulnerabilities
      ? report
      : { error: report.message ?? report.error?.summary ?? 'no report' };
  } catch {
    return { error: 'no report' };
  }
}

const linesOf = ({ vulnerabilities }) =>
  Object.values(vulnerabilities).map(({ name, severity, range }) => `${severity}: ${name} ${range}`);

await main(() => {
  const running = ask(['--omit=dev', '--omit=optional']);
  if (running.error) {
    say(`NOT CHECKED: the registry does not tell known holes here (${running.error})`);
    return;
  }
  const all = ask([]);
  say(
    all.error
      ? `Development tools are not checked (${all.error})`
      : linesOf(all).join('\n') || 'No known holes',
  );
  const serious = linesOf(running).filter((line) => SERIOUS.some((severity) => line.startsWith(severity)));
  if (serious.length > 0) throw new Problem(`Known holes in packages that run:\n${serious.join('\n')}`);
});
