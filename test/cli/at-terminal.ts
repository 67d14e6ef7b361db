import { spawn, spawnSync } from 'node:child_process';
import { expectNoLastingSecretIn } from '../harness/secrets-made.js';
import { until } from '../harness/until.js';
import { PROGRAM } from './svc.js';

/** util-linux's `script` gives a program a terminal; that of other systems has other arguments. */
const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');
/** A test of a program at a terminal. */
export const itAtTerminal = hasScript ? it : it.skip;

interface AtTerminal {
  readonly code: number | null;
  readonly shown: string;
}

/**
 * Types the answers at a terminal, or calls a function, each when its question appears. @returns the output, and the
 * exit code
 */
export async function atTerminal(
  args: string,
  env: Readonly<Record<string, string | undefined>>,
  dialogue: readonly (readonly [string, string | (() => Promise<void>)])[] = [],
): Promise<AtTerminal> {
  const line = `stty cols 80 rows 24; exec '${process.execPath}' ${PROGRAM} ${args}`;
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  for (const [question, answer] of dialogue) {
    await until(() => shown.includes(question));
    if (typeof answer === 'string') child.stdin.write(answer);
    else await answer();
  }
  const code = await ended;
  expectNoLastingSecretIn('a terminal', shown);
  return { code, shown };
}
