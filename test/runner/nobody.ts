import { spawnSync } from 'node:child_process';

/** The account without rights that every Linux has. */
export const NOBODY = 'nobody';
export const UID = idOf('-u');
export const GID = idOf('-g');
/** Starts a program with fewer rights than the tests'. */
export const asNobody = ['setpriv', `--reuid=${UID}`, `--regid=${GID}`, '--clear-groups'];

/** Requirements of `--user`; a test that can't change accounts is skipped, with the reason in its title. */
const obstacle =
  process.getuid?.() !== 0
    ? 'the tests are not run as root'
    : spawnSync(asNobody[0]!, [...asNobody.slice(1), 'true']).status !== 0
      ? 'setpriv can not change to nobody here'
      : undefined;
export const onRoot = obstacle === undefined ? describe : describe.skip;
export const because = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;

function idOf(which: '-u' | '-g'): number {
  return Number(spawnSync('id', [which, NOBODY]).stdout);
}
