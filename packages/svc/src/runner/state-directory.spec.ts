import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeStateDirectory } from './state-directory.js';

/** The account without rights that every Linux has. */
const NOBODY = 65_534;
/** Only root can give a directory to another person. */
const asRoot = process.getuid?.() === 0 ? it : it.skip;

describe('makeStateDirectory', () => {
  let base: string;
  beforeEach(() => (base = mkdtempSync(join(realpathSync(tmpdir()), 'state-directory-'))));
  afterEach(() => rmSync(base, { recursive: true }));

  const modeOf = (path: string) => statSync(path).mode & 0o7777;

  it('makes it and the missing directories above it, closed to others', () => {
    const directory = join(base, 'one', 'two');
    makeStateDirectory(directory);
    makeStateDirectory(directory);
    expect([join(base, 'one'), directory].map(modeOf)).toEqual([0o700, 0o700]);
  });

  it('closes one that others can read', () => {
    const directory = join(base, 'state');
    mkdirSync(directory);
    chmodSync(directory, 0o755);
    makeStateDirectory(directory);
    expect(modeOf(directory)).toBe(0o700);
  });

  it('refuses a link, also one of its own user, and leaves its target unchanged', () => {
    const target = join(base, 'target');
    mkdirSync(target);
    chmodSync(target, 0o755);
    symlinkSync(target, join(base, 'state'));
    expect(() => makeStateDirectory(join(base, 'state'))).toThrow(
      'state is a link: name the directory itself',
    );
    expect(modeOf(target)).toBe(0o755);
  });

  it('refuses a link that leads nowhere, and makes nothing there', () => {
    symlinkSync(join(base, 'nowhere'), join(base, 'state'));
    expect(() => makeStateDirectory(join(base, 'state'))).toThrow('is a link');
    expect(existsSync(join(base, 'nowhere'))).toBe(false);
  });

  it('goes through a link above it that its own user has made', () => {
    mkdirSync(join(base, 'target'));
    symlinkSync('target', join(base, 'link'));
    makeStateDirectory(join(base, 'link', 'state'));
    expect(modeOf(join(base, 'target', 'state'))).toBe(0o700);
  });

  it.each([0o777, 0o702])('refuses one in which others could have put links (mode %d)', (mode) => {
    const directory = join(base, 'state');
    mkdirSync(directory);
    chmodSync(directory, mode);
    expect(() => makeStateDirectory(directory)).toThrow(/has been open to others.*run chmod 700/);
  });

  it('refuses one below a directory in which others can write', () => {
    const open = join(base, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    expect(() => makeStateDirectory(join(open, 'state'))).toThrow(
      `Other accounts can write to ${open} (mode 0777)`,
    );
    expect(existsSync(join(open, 'state'))).toBe(false);
    // as /tmp is: only the owner of a file removes or renames it there
    chmodSync(open, 0o1777);
    makeStateDirectory(join(open, 'state'));
  });

  asRoot('refuses one that belongs to somebody else, also for root', () => {
    const directory = join(base, 'state');
    mkdirSync(directory);
    chownSync(directory, NOBODY, NOBODY);
    expect(() => makeStateDirectory(directory)).toThrow(
      `state belongs to user ${NOBODY}, and svc runs as user 0`,
    );
  });

  asRoot('refuses one below a directory or a link of somebody else', () => {
    const foreign = join(base, 'foreign');
    mkdirSync(foreign);
    chownSync(foreign, NOBODY, NOBODY);
    expect(() => makeStateDirectory(join(foreign, 'state'))).toThrow(`${foreign} belongs to user ${NOBODY}`);
    const open = join(base, 'open');
    mkdirSync(open);
    chmodSync(open, 0o1777);
    mkdirSync(join(base, 'target'));
    symlinkSync(join(base, 'target'), join(open, 'link'));
    lchownSync(join(open, 'link'), NOBODY, NOBODY);
    expect(() => makeStateDirectory(join(open, 'link', 'state'))).toThrow(`link belongs to user ${NOBODY}`);
  });

  it('names the directory when the system refuses, as in /proc and below a file', () => {
    writeFileSync(join(base, 'file'), '');
    expect(() => makeStateDirectory(join(base, 'file'))).toThrow(
      /file can't be written \((ENOTDIR|EEXIST)\)/,
    );
    expect(() => makeStateDirectory(join(base, 'file', 'below'))).toThrow(
      /below can't be written \(ENOTDIR\)/,
    );
    expect(() => makeStateDirectory('/proc/nowhere/below')).toThrow("/proc/nowhere/below can't be written");
  });

  it('ends with an error for links in a circle', () => {
    symlinkSync('other', join(base, 'one'));
    symlinkSync('one', join(base, 'other'));
    expect(() => makeStateDirectory(join(base, 'one', 'state'))).toThrow('goes through more than 40 links');
    expect(lstatSync(join(base, 'one')).isSymbolicLink()).toBe(true);
  });
});
