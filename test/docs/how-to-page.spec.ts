import { readFile } from 'node:fs/promises';
import { ALL_COMMANDS } from '../../packages/svc/src/cli/all-commands.js';
import { readCommandLine } from '../../packages/svc/src/cli/command-line.js';

const page = await readFile('docs/how-to.md', 'utf8');
const lines = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block]) =>
  block!.trim().split('\n'),
);

/** The words of a line as a shell reads it; its only quotes are single ones. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|[^\s']+/g)].map(([word, quoted]) => quoted ?? word);
}

describe('docs/how-to.md', () => {
  it('has a command for each of its tasks', () => {
    const tasks = page.split(/^## /m).slice(1);
    expect(tasks.length).toBeGreaterThan(5);
    for (const task of tasks) expect(task).toMatch(/^[^\n]+\n\n```sh\nsvc /);
  });

  it.each(lines)('shows a command line that svc takes: %s', async (line) => {
    const [program, ...words] = wordsOf(line);
    expect(program).toBe('svc');
    const invocation = await readCommandLine(words, ALL_COMMANDS);
    expect(() => invocation!.command.read(invocation!.input)).not.toThrow();
  });
});
