import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';

/** As many links as Linux follows. */
const MOST_LINKS = 40;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/** A path as the kernel walks it. */
export interface WalkedPath {
  /** The entry that the path names: links among its directories are resolved, a link of the last name is not. */
  readonly named: string;
  /** The target at the end of the links. */
  readonly file: string;
  readonly stat: Stats;
  /** Parts of the way that untrusted accounts can replace; undefined if nothing. */
  readonly weakness: string | undefined;
}

/**
 * Walks an absolute path as the kernel does: `..` is taken after a link, not before, as `path.resolve` does.
 *
 * @param trusted the accounts that may replace parts of the way
 * @throws the system's error if something is not there
 */
export function walkPath(path: string, trusted: ReadonlySet<number>): WalkedPath {
  let at = '/';
  let stat = lstatSync(at);
  let named: string | undefined;
  let weakness = weaknessOf(at, stat, trusted);
  const left = segmentsOf(path);
  let own = left.length;
  for (let links = 0; left.length > 0;) {
    const isOfLink = left.length > own;
    const segment = left.shift()!;
    own = Math.min(own, left.length);
    const next = segment === '..' ? dirname(at) : join(at, segment);
    stat = isOfLink ? statOfTarget(next, path) : lstatSync(next);
    weakness ??= weaknessOf(next, stat, trusted);
    if (left.length === 0) named ??= next;
    if (!stat.isSymbolicLink()) {
      if (left.length > 0 && !stat.isDirectory()) throw failure('ENOTDIR', next);
      at = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) throw failure('ELOOP', next);
    const target = readlinkSync(next);
    left.unshift(...segmentsOf(target));
    if (target.startsWith('/')) at = '/';
  }
  return { named: named ?? at, file: at, stat: lstatSync(at), weakness };
}

/** A link that leads nowhere is no absent file: its target may be on a disk that is not mounted yet. */
function statOfTarget(target: string, path: string): Stats {
  const stat = lstatSync(target, { throwIfNoEntry: false });
  if (!stat)
    throw new Error(
      `a link in ${JSON.stringify(path)} leads to ${JSON.stringify(target)}, which is not there`,
    );
  return stat;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((it) => it !== '' && it !== '.');
}

/** A directory that anybody may write, as /tmp, lets nobody replace what others have in it if it is sticky. */
function weaknessOf(path: string, stat: Stats, trusted: ReadonlySet<number>): string | undefined {
  const what = JSON.stringify(path);
  if (!trusted.has(stat.uid)) return `${what} belongs to account ${stat.uid}`;
  if (stat.isSymbolicLink() || (stat.mode & WRITABLE_BY_OTHERS) === 0) return undefined;
  return stat.isDirectory() && (stat.mode & STICKY) !== 0
    ? undefined
    : `${what} can be written by its group or by everybody`;
}

function failure(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code, path });
}
