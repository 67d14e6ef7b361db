import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { walkPath } from './walked-path.js';

const TRUSTED = new Set([0, process.geteuid!()]);
let top: string;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'walked-path-')));
  mkdirSync(join(top, 'real', 'deep'), { recursive: true });
  writeFileSync(join(top, 'real', 'tool'), '');
  writeFileSync(join(top, 'tool'), '');
  symlinkSync('real/deep', join(top, 'link'));
  symlinkSync('tool', join(top, 'real', 'other-name'));
});

afterEach(() => rmSync(top, { recursive: true }));

describe('A walked path', () => {
  it.each([
    // the kernel goes up from where the link leads to
    ['link/../tool', 'real/tool', 'real/tool'],
    ['real/deep/../../tool', 'tool', 'tool'],
    ['./real//tool', 'real/tool', 'real/tool'],
    ['link/../other-name', 'real/other-name', 'real/tool'],
    ['link', 'link', 'real/deep'],
  ])('%s names %s, which is %s', (path, named, file) => {
    expect(walkPath(`${top}/${path}`, TRUSTED)).toMatchObject({
      named: join(top, named),
      file: join(top, file),
      weakness: undefined,
    });
  });

  it('is not there when nothing is, and is an error when a link leads nowhere or round', () => {
    symlinkSync('no/such', join(top, 'dangling'));
    symlinkSync('round', join(top, 'round'));
    expect(() => walkPath(join(top, 'no', 'such'), TRUSTED)).toThrow('ENOENT');
    expect(() => walkPath(join(top, 'dangling', 'x'), TRUSTED)).toThrow('which is not there');
    expect(() => walkPath(join(top, 'round'), TRUSTED)).toThrow('ELOOP');
    expect(() => walkPath(`${top}/tool/x`, TRUSTED)).toThrow('ENOTDIR');
  });

  it.each(['real/tool', 'real', 'real/deep'])(
    'reports what others can write on the way, also behind a link: %s',
    (weak) => {
      chmodSync(join(top, weak), 0o777);
      const path = weak === 'real/deep' ? 'link' : 'real/tool';
      expect(walkPath(join(top, path), TRUSTED).weakness).toBe(
        `${JSON.stringify(join(top, weak))} can be written by its group or by everybody`,
      );
    },
  );

  it("reports the files of another account, and trusts the owner's files in a sticky directory", () => {
    chmodSync(join(top, 'real'), 0o1777);
    expect(walkPath(join(top, 'real', 'tool'), TRUSTED).weakness).toBeUndefined();
    const path = join(top, 'real', 'tool');
    expect(walkPath(path, new Set([0xffff])).weakness).toContain('belongs to account ');
  });
});
