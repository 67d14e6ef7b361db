import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PROGRAM, Svc } from './svc.js';

let svc: Svc;

beforeAll(async () => {
  svc = await Svc.at('http://127.0.0.1:9');
  const launcher = `#!/bin/sh\nexec '${process.execPath}' '${resolve(PROGRAM)}' "$@"\n`;
  await writeFile(join(svc.home, 'svc'), launcher, { mode: 0o755 });
  const contexts = [`$(touch hacked)`, 'staging'].map((name, at) => ({
    name,
    api_url: `http://127.0.0.1:${at + 1}`,
  }));
  await svc.writeConfig({ contexts });
});

afterAll(() => svc.removeHome());

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['--version']).status === 0;
}

/** Completions that a shell offers at the end of a line. */
type Offer = (line: string) => string[];

function run(shell: string, args: readonly string[], input?: string): string {
  const env = { PATH: `${svc.home}:${process.env.PATH}`, HOME: svc.home, TERM: 'xterm', LC_ALL: 'C.UTF-8' };
  const { stdout, stderr, status } = spawnSync(shell, args, { env, cwd: svc.home, encoding: 'utf8', input });
  if (status !== 0) throw new Error(`${shell} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
}

const shells: Record<string, (script: string) => Offer> = {
  bash: (script) => (line) => {
    // split like readline
    const words = line
      .split(' ')
      .flatMap((word) => (word === '' ? [''] : word.match(/:+|[^:]+/g)!).map((it) => `'${it}'`));
    return run('bash', [
      '--norc',
      '-c',
      `source ${script}; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; COMP_LINE='${line}'; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ])
      .split('\n')
      .filter((word) => word !== '');
  },
  fish: (script) => (line) =>
    run('fish', ['--no-config', '-c', `source ${script}; complete --do-complete '${line}'`])
      .split('\n')
      .map((offer) => offer.split('\t')[0]!)
      .filter((word) => word !== ''),
  zsh: (script) => (line) => offeredByZsh(script, line),
};

/** zsh completes only in an editor: this one runs in a pseudo terminal, and lists its completions. */
function offeredByZsh(script: string, line: string): string[] {
  const program = `
    zmodload zsh/zpty
    zpty -b shell zsh -f -i
    send() { zpty -w shell "$1" }
    send "PS1= ; stty -echo columns 200 rows 60; autoload -Uz compinit; compinit -u -D; source ${script}"
    send "zstyle ':completion:*' list-prompt ''; zstyle ':completion:*' verbose no; LISTMAX=1000; unsetopt automenu; unsetopt zlebeep"
    send "bindkey '^D' list-choices; print RE''ADY"
    zpty -r shell reply '*READY*'
    zpty -w -n shell ${JSON.stringify(line)}$'\\x04\\x15'"print DO''NE"$'\\n'
    zpty -r shell reply '*DONE*'
    print -r -- "$reply"
  `;
  return (
    run('zsh', ['-f', '-c', program])
      // eslint-disable-next-line no-control-regex
      .replaceAll(/\u001b\[[0-9;?]*[A-Za-z]|\r/g, ' ')
      .split(/\s+/)
  );
}

describe.each(Object.entries(shells))('svc completion %s', (shell, offerIn) => {
  const maybe = isInstalled(shell) ? it : it.skip;
  let offer: Offer;

  beforeAll(async () => {
    const script = join(svc.home, `completion.${shell}`);
    await writeFile(script, await svc.succeeds(['completion', shell]));
    offer = offerIn(script);
  });

  maybe('offers commands, verbs, options and choices (skipped without this shell)', () => {
    expect(offer('svc ')).toEqual(expect.arrayContaining(['agents', 'deploy', 'login', 'completion']));
    expect(offer('svc agents ')).toEqual(expect.arrayContaining(['list', 'create', 'deploy']));
    expect(offer('svc agents ')).not.toContain('webhooks');
    expect(offer('svc --api-url http://x deploy sc')).toContain('scale');
    expect(offer('svc agents list --')).toEqual(expect.arrayContaining(['--status', '--limit', '--output']));
    expect(offer('svc agents list --status ')).toEqual(expect.arrayContaining(['running', 'failed']));
    expect(offer('svc deploy list --status ')).toEqual(expect.arrayContaining(['ready', 'killed']));
    expect(offer('svc completion ')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
  });

  maybe('offers names, and never executes a name as code (skipped without this shell)', () => {
    expect(offer('svc context use ')).toEqual(expect.arrayContaining(['127.0.0.1:8000', 'staging']));
    expect(offer('svc context use st')).toContain('staging');
    expect(existsSync(join(svc.home, 'hacked'))).toBe(false);
  });

  maybe('offers for each argument names of its kind (skipped without this shell)', () => {
    expect(offer('svc context use x st')).not.toContain('staging');
    expect(offer('svc context add st')).not.toContain('staging');
  });

  maybe('offers what follows a colon within a name (skipped where there is no such shell)', () => {
    // bash has printed the beginning, and inserts only the rest
    const rest = shell === 'bash' ? '8000' : '127.0.0.1:8000';
    expect(offer('svc context use 127.0.0.1:')).toContain(rest);
    expect(offer('svc context use 127.0.0.1:80')).toContain(rest);
    expect(offer('svc --api-url http://127.0.0.1:9 context use st')).toContain('staging');
  });
});
